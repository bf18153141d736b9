/* Looks at a running daemon's dashboard with a real browser. usage: dashboard.mjs CHROMIUM URL OUT [WAIT_MS]
 * Prints what the page shows as JSON and leaves OUT/wide.png and OUT/phone.png. Fails where the page reports an
 * error or the policy refused anything. */
import { chromium } from "playwright-core";

const [, , executablePath, url, out, wait = "4000"] = process.argv;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const complaints = [];
const seen = {};

async function look(name, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (line) => { if (["error", "warning"].includes(line.type())) complaints.push(`${name}: ${line.text()}`); });
  page.on("pageerror", (error) => complaints.push(`${name}: ${error}`));
  page.on("request", (request) => { if (!request.url().startsWith(url) && !request.url().startsWith("data:")) complaints.push(`${name}: asks ${request.url()}`); });
  await page.goto(url, { waitUntil: "load" });
  if (options.javaScriptEnabled !== false) {
    await page.waitForFunction(() => Number(document.getElementById("lanes").dataset.bars) > 0, null, { timeout: 15000 });
    const first = await page.evaluate(() => document.querySelector("[data-live=figures]").textContent);
    await page.waitForTimeout(Number(wait));
    await page.click("[data-span='10']");
    await page.waitForTimeout(1500);
    seen[name] = await page.evaluate((before) => {
      const canvas = document.getElementById("lanes"), pen = canvas.getContext("2d");
      const colours = new Set();
      const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return {
        bars: Number(canvas.dataset.bars), lanes: Number(canvas.dataset.lanes), colours: [...colours],
        text: document.body.innerText, label: canvas.getAttribute("aria-label"),
        moved: before !== document.querySelector("[data-live=figures]").textContent,
        scrolls_sideways: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        title: document.title,
      };
    }, first);
    await page.screenshot({ path: `${out}/${name}.png` });
  } else {
    seen[name] = { text: await page.evaluate(() => document.body.innerText).catch(() => ""), html: await page.content() };
  }
  await context.close();
}

await look("wide", { viewport: { width: 1280, height: 1100 }, colorScheme: "light" });
await look("phone", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: "dark" });
await look("plain", { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
await browser.close();
console.log(JSON.stringify({ seen, complaints }));
