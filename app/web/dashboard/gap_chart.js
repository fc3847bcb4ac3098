// The chart of the gap: both axes logarithmic, one point for each plan, a dashed line at the goal.

import { svgElement, element, onResize, replace, setText } from "./dom.js";
import { goalOf } from "./goal.js";
import { pairName, count, points as inShort } from "./words.js";

const HEIGHT = 272;
const MARGIN = { left: 46, right: 14, top: 28, bottom: 44 };

export function gapPanel(session) {
  const goal = goalOf(session);
  const holder = element("div");
  const readout = element("p", { class: "readout" });
  const body = element("tbody");
  const heads = ["Plan", "Impressions", ...goal.columns, "Best pair", "Phase"].map((text) => element("th", { scope: "col" }, text));
  const node = element(
    "section",
    { class: "card wide", "aria-label": "Progress" },
    element("h2", {}, "The gap on its way to the goal"),
    holder,
    readout,
    element(
      "details",
      { class: "small" },
      element("summary", {}, "The same as a table"),
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body),
    ),
  );
  let shown = [];
  const names = (point) => pairName([session.items[point.i].label, session.items[point.j].label]);
  const describe = (point) => setText(readout, `Plan ${point.plan_version}, after ${count(point.samples)} impressions: ${names(point)}, ${[goal.shortGap(point), goal.otherGap(point)].filter(Boolean).join(", ")} (${point.phase})`);

  function draw(width) {
    replace(holder, chart(shown.filter((point) => point.samples > 0 && goal.gapOf(point) !== null), goal, width, describe));
  }
  let width = 0;
  const end = onResize(holder, (now) => draw((width = now)));

  function show(all) {
    shown = all;
    replace(
      body,
      ...all.map((point) =>
        element(
          "tr",
          {},
          ...[point.plan_version, count(point.samples), ...goal.amounts(point), names(point), point.phase].map((text) => element("td", {}, String(text))),
        ),
      ),
    );
    if (width) draw(width);
    if (all.length) describe(all.at(-1));
  }

  return { node, show, end };
}

// Ticks of a log axis: powers of ten, with 2 and 5 between them if there is room.
export function logTicks(low, high) {
  const ticks = [];
  const parts = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const part of parts) {
      const tick = part * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

function chart(points, goal, width, describe) {
  const least = goal.limit / 20; // smaller gaps are drawn here: a gap of 0 has no place on a log axis
  const inner = { width: Math.max(width - MARGIN.left - MARGIN.right, 50), height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const xs = points.map((point) => point.samples);
  const [x0, x1] = points.length ? [Math.min(...xs) / 1.3, Math.max(...xs) * 1.3] : [10, 1000];
  const gaps = points.map((point) => Math.max(goal.gapOf(point), least));
  const [y0, y1] = [Math.min(goal.limit / 1.6, ...gaps.map((gap) => gap / 1.2)), Math.max(1, ...gaps)];
  const x = (value) => MARGIN.left + (inner.width * Math.log(value / x0)) / Math.log(x1 / x0);
  const y = (value) => MARGIN.top + inner.height * (1 - Math.log(Math.max(value, least) / y0) / Math.log(y1 / y0));
  const svg = svgElement("svg", {
    class: "chart gap-chart",
    width,
    height: HEIGHT,
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    "aria-label": points.length ? `The gap fell from ${goal.amount(gaps[0])} to ${goal.amount(gaps.at(-1))}; the ${goal.line}` : "No plan has counted an impression yet",
  });
  for (const tick of logTicks(y0, y1)) {
    svg.append(
      svgElement("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }),
      svgElement("text", { x: MARGIN.left - 8, y: y(tick) + 4, "text-anchor": "end" }, inShort(tick)),
    );
  }
  for (const tick of spaced(logTicks(x0, x1), x, 56)) {
    svg.append(svgElement("text", { x: x(tick), y: HEIGHT - MARGIN.bottom + 18, "text-anchor": "middle" }, short(tick)));
  }
  svg.append(
    svgElement("text", { x: 0, y: 10 }, goal.axis),
    svgElement("text", { x: width - MARGIN.right, y: HEIGHT - 6, "text-anchor": "end" }, "impressions counted"),
    svgElement("line", { class: "goal", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(goal.limit), y2: y(goal.limit) }),
    svgElement("text", { class: "goal-text", x: MARGIN.left + 6, y: y(goal.limit) + 16 }, goal.line),
  );
  const at = points.map((point, k) => [x(point.samples), y(gaps[k])]);
  svg.append(svgElement("polyline", { class: "line", points: at.map((place) => place.join(",")).join(" ") }));
  const dots = at.map(([cx, cy], k) => svgElement("circle", { class: "dot", cx, cy, r: 4 }, svgElement("title", {}, `Plan ${points[k].plan_version}: gap ${goal.amount(goal.gapOf(points[k]))}`)));
  svg.append(...dots);
  highlightNearest(svg, at, dots, (k) => describe(points[k]));
  return svg;
}

// Highlights and describes the point nearest to the pointer.
function highlightNearest(svg, at, dots, describe) {
  svg.addEventListener("pointermove", (event) => {
    const left = event.clientX - svg.getBoundingClientRect().left;
    let nearest = 0;
    at.forEach(([cx], k) => {
      if (Math.abs(cx - left) < Math.abs(at[nearest][0] - left)) nearest = k;
    });
    dots.forEach((dot, k) => dot.classList.toggle("lit", k === nearest));
    if (dots.length) describe(nearest);
  });
}

// Ticks that are at least this many pixels apart.
function spaced(ticks, x, pixels) {
  let last = -Infinity;
  return ticks.filter((tick) => {
    if (x(tick) - last < pixels) return false;
    last = x(tick);
    return true;
  });
}

const short = (number) => (number >= 1e6 ? `${number / 1e6}M` : number >= 1e3 ? `${number / 1e3}k` : String(number));
