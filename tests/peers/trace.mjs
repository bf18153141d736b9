/* Opens a page of `cuzk trace --html` in a real browser, zooms and hovers. usage: trace.mjs CHROMIUM FILE OUT.png */
import { chromium } from "playwright-core";

const [, , executablePath, file, out] = process.argv;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const complaints = [];
page.on("console", (line) => { if (["error", "warning"].includes(line.type())) complaints.push(line.text()); });
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("request", (request) => { if (!request.url().startsWith("file:")) complaints.push("asks " + request.url()); });
await page.goto("file://" + file);
const shown = () => page.evaluate(() => [...document.querySelectorAll("g.b")].filter((g) => g.style.display !== "none").length);
const bars = await shown();
const box = await page.locator("svg").boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + 75);
for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -100);
await page.waitForTimeout(300);
const zoomed = await shown();
const bar = await page.evaluate(() => {
  const rect = [...document.querySelectorAll("g.b rect")].map((r) => r.getBoundingClientRect())
    .find((r) => r.width > 6 && r.left > 300 && r.right < 1000);
  return { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2 };
});
await page.mouse.move(bar.x, bar.y);
await page.waitForTimeout(100);
const tip = await page.evaluate(() => document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent);
await page.screenshot({ path: out });
await page.keyboard.press("0");
const again = await shown();
await browser.close();
console.log(JSON.stringify({ bars, zoomed, again, tip, complaints }));
