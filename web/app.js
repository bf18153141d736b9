/* The page's numbers are the server's: they are fetched and put in place. Here only the waterfall is drawn. */
"use strict";

const COLOURS = {
  witness: "#56b4e9", setup: "#bdbdbd", prepare: "#c7c94e", pin: "#e5c494", upload: "#fdae6b", quotient: "#f2c14e",
  msm: "#66c2a5", unpin: "#d9b48f", "host msm": "#8da0cb", drop: "#b3b3b3", finish: "#e7a3c8", verify: "#a6d854",
  release: "#d0d4da",
};
const OTHER = "#9ecae1", ROW = 18, GAP = 3, LABEL_MOST = 96, AXIS = 20, ROWS_MOST = 6, BARS_MOST = 20000;
const REFRESH_MS = 2000;

const canvas = document.getElementById("lanes");
const tip = document.getElementById("tip");
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
let lanes = new Map();   /* name -> {rows: [end of the last bar]} */
let bars = [];           /* {lane, row, begin, end, text...}, in order of end */
let marks = [];
let offset = 0;          /* server's clock less this page's, microseconds */
let span = 60e6, paused = 0, drawn = 0, seen = new Set();

const here = () => performance.now() * 1000;
const now = () => paused || here() + offset;

function take(event) {
  if (event.type !== "stage") {
    marks.push({ at: event.end_us, text: event.type + (event.job ? " " + event.job : ""), type: event.type });
    if (marks.length > 500) marks.splice(0, 100);
    return;
  }
  const name = event.lane || "host";
  let lane = lanes.get(name);
  if (!lane) lanes.set(name, lane = { rows: [] });
  let row = lane.rows.findIndex((end) => end <= event.begin_us);
  if (row < 0) row = lane.rows.length < ROWS_MOST ? lane.rows.push(0) - 1 : ROWS_MOST - 1;
  lane.rows[row] = event.end_us;
  lane.last = event.end_us;
  bars.push({ lane: name, row, begin: event.begin_us, end: event.end_us, stage: event.stage, event });
  if (bars.length > BARS_MOST) bars.splice(0, BARS_MOST / 4);
  if (!seen.has(event.stage)) { seen.add(event.stage); legend(); }
}

function legend() {
  const list = document.getElementById("legend");
  const order = Object.keys(COLOURS).filter((name) => seen.has(name));
  list.replaceChildren(...order.map((name) => {
    const item = document.createElement("li");
    const box = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("width", "11"); rect.setAttribute("height", "11"); rect.setAttribute("rx", "2");
    rect.setAttribute("fill", COLOURS[name]);
    box.append(rect);
    item.append(box, name);
    return item;
  }));
}

/* Devices first, then witness workers, then the rest; by number within. */
function ordered(left) {
  const rank = (name) => /^(witness|synthesis)/.test(name) ? 1 : /^(host|release|verif|final|jobs)/.test(name) ? 2 : 0;
  return [...lanes.keys()].filter((name) => rank(name) === 0 || lanes.get(name).last >= left)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, undefined, { numeric: true }));
}

function step(seconds) {
  let power = 0.001;
  while (power * 80 < seconds) power *= 10;
  return [1, 2, 5, 10].map((f) => f * power).find((s) => seconds / s <= 9) || power * 10;
}

function draw() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  const right = now(), left = right - span;
  const names = ordered(left), label = Math.min(LABEL_MOST, width * 0.22);
  const tops = new Map();
  let height = AXIS;
  for (const name of names) {
    tops.set(name, height);
    height += Math.max(1, lanes.get(name).rows.length) * ROW + 8;
  }
  height = Math.max(height, 120);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = height + "px";
  }
  const pen = canvas.getContext("2d"), per = (width - label) / span;
  const x = (us) => label + (us - left) * per;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const tick = step(span / 1e6) * 1e6;
  for (let back = 0; back < span; back += tick) {
    pen.fillStyle = colour("--grid");
    pen.fillRect(Math.round(x(right - back)) - 1, AXIS - 4, 1, height - AXIS);
    pen.fillStyle = colour("--soft");
    pen.textAlign = back === 0 ? "right" : "center";
    pen.fillText(back === 0 ? "now" : "-" + +(back / 1e6).toFixed(2) + " s", x(right - back), 8);
  }
  pen.textAlign = "left";
  for (const name of names) {
    pen.fillStyle = colour("--line");
    pen.fillRect(0, tops.get(name) - 5, width, 1);
    pen.fillStyle = colour("--text");
    pen.fillText(name, 0, tops.get(name) + ROW / 2, label - 6);
  }
  pen.save();
  pen.beginPath(); pen.rect(label, 0, width - label, height); pen.clip();
  drawn = 0;
  for (const bar of bars) {
    if (bar.end < left || !tops.has(bar.lane)) continue;
    const begin = x(bar.begin), wide = Math.max(0.75, x(bar.end) - begin - (bar.end - bar.begin > 4 / per ? 0.5 : 0));
    const top = tops.get(bar.lane) + bar.row * ROW;
    pen.fillStyle = COLOURS[bar.stage] || OTHER;
    pen.fillRect(begin, top, wide, ROW - GAP);
    if (wide > bar.stage.length * 6 + 8) {
      pen.fillStyle = "#1b2430";
      pen.fillText(bar.stage, Math.max(begin, label) + 4, top + (ROW - GAP) / 2 + 0.5);
    }
    drawn++;
  }
  for (const mark of marks) {
    if (mark.at < left || !["failed", "device lost", "retried"].includes(mark.type)) continue;
    pen.fillStyle = colour("--bad");
    pen.fillRect(x(mark.at), AXIS - 4, 1.5, height);
  }
  pen.restore();
  canvas.dataset.bars = drawn;
  canvas.dataset.lanes = names.length;
  geometry = { left, per, label, tops };
}
let geometry = null;

function hover(event) {
  const box = canvas.getBoundingClientRect();
  const px = event.clientX - box.left, py = event.clientY - box.top;
  tip.hidden = true;
  if (!geometry || px < geometry.label) return;
  const at = geometry.left + (px - geometry.label) / geometry.per, near = 2 / geometry.per;
  for (let i = bars.length - 1; i >= 0; i--) {
    const bar = bars[i], top = geometry.tops.get(bar.lane) + bar.row * ROW;
    if (at < bar.begin - near || at > bar.end + near || py < top || py >= top + ROW) continue;
    const e = bar.event;
    tip.textContent = `${bar.stage} ${((bar.end - bar.begin) / 1000).toFixed(2)} ms` +
      (e.partition !== undefined ? `, partition ${e.partition}` : "") + (e.kind ? `\n${e.kind}` : "") +
      (e.job ? ` ${e.job}` : "") + (e.kernels_us ? `\nkernels ${(e.kernels_us / 1000).toFixed(2)} ms` : "");
    tip.hidden = false;
    tip.style.left = Math.min(px + 12, Math.max(0, box.width - tip.offsetWidth)) + "px";
    tip.style.top = py + 16 + "px";
    return;
  }
}

function describe() {
  const left = now() - span, busy = new Map();
  for (const bar of bars)
    if (bar.end > left) busy.set(bar.lane, (busy.get(bar.lane) || 0) + bar.end - Math.max(left, bar.begin));
  canvas.setAttribute("aria-label", "Stages by lane, newest to the right. " + ordered(left).map((name) =>
    `${name}: ${Math.round((busy.get(name) || 0) / span * 100)}% of the time`).join("; "));
}

function listen() {
  const source = new EventSource("/events");
  source.addEventListener("clock", (message) => {
    const clock = JSON.parse(message.data);
    offset = clock.now_us - here();
    document.body.classList.remove("stale");
  });
  source.onmessage = (message) => take(JSON.parse(message.data));
  source.onerror = () => {
    document.body.classList.add("stale");
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
}

async function refresh() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/", { cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.title = page.title;
      for (const part of document.querySelectorAll("[data-live]")) {
        const fresh = page.querySelector(`[data-live=${part.dataset.live}]`);
        if (fresh && fresh.innerHTML !== part.innerHTML) part.replaceChildren(...fresh.childNodes);
      }
      describe();
    } catch {
      document.body.classList.add("stale");
    }
  }
  setTimeout(refresh, REFRESH_MS);
}

let last = 0;
function frame(at) {
  if (at - last > (calm ? 1000 : 50)) { last = at; draw(); }
  requestAnimationFrame(frame);
}

for (const button of document.querySelectorAll("[data-span]"))
  button.addEventListener("click", () => {
    span = Number(button.dataset.span) * 1e6;
    for (const other of document.querySelectorAll("[data-span]")) other.setAttribute("aria-pressed", other === button);
  });
document.getElementById("pause").addEventListener("click", (event) => {
  paused = paused ? 0 : here() + offset;
  event.target.setAttribute("aria-pressed", paused !== 0);
});
canvas.addEventListener("pointermove", hover);
canvas.addEventListener("pointerdown", hover);
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });

document.getElementById("waterfall").hidden = false;
listen();
setTimeout(refresh, REFRESH_MS);
requestAnimationFrame(frame);
