// The heat map: estimated reward of the most relevant pairs. Measured cells are squares, larger if they were shown more
// often, and hollow below 30 impressions; imputed cells are dots.

import { colour, TABLE } from "./colours.js";
import { element, onResize, replace, setText } from "./dom.js";
import { pairName, count, percent } from "./words.js";

const SIZES = [25, 50, 100, 200];
const LARGEST_CELL = 30;
const LARGEST_MAP = 760; // pixels: the map and its legend fit on a screen
const SMALLEST_LABELLED = 11; // pixels: labels of smaller rows would not be readable
const OFTEN = 300; // impressions that fill a square
const ENOUGH = 30; // impressions for a filled cell; the range of colours depends only on such cells
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function heatPanel(session, onSize) {
  const sizes = SIZES.filter((size, k) => k === 0 || SIZES[k - 1] < session.n_items);
  const usual = innerWidth < 700 ? 25 : 50;
  const choice = element("select", { "aria-label": "Items shown", onchange: () => onSize() }, ...sizes.map((size) => element("option", { value: size, selected: size === usual || sizes.length === 1 }, `${Math.min(size, session.n_items)} items`)));
  const canvas = element("canvas", { class: "heat-map", tabindex: 0, role: "application", "aria-label": "Heat map of estimated reward; arrow keys move from pair to pair" });
  const holder = element("div", {}, canvas);
  const readout = element("p", { class: "readout", "aria-live": "off" }, "Nothing has been measured yet.");
  const legend = element("div", { class: "legend" });
  const node = element(
    "section",
    { class: "card", "aria-label": "Heat map" },
    element("div", { class: "panel-head" }, element("h2", {}, "How often each pair is clicked"), sizes.length > 1 ? element("label", {}, "Most relevant", choice) : element("span", { class: "soft small" }, `all ${count(session.n_items)} items`)),
    element("figure", { class: "heat" }, holder, element("div", { class: "side" }, readout, legend)),
  );
  const state = { map: null, width: 0, layout: null, cursor: null, best: null };

  function draw() {
    if (!state.map || !state.width) return;
    state.layout = layoutOf(state.map, state.width, canvas);
    paint(canvas, state);
  }
  const end = onResize(node.querySelector("figure"), (width) => {
    state.width = width;
    draw();
  });

  function select(row, column) {
    const n = state.map.items.length;
    if (row < 0 || column < 0 || row >= n || column >= n) return;
    state.cursor = [row, column];
    draw();
    setText(readout, described(state.map, row, column));
  }

  // Screen readers read it while the map has the focus, not at each update.
  canvas.addEventListener("focus", () => readout.setAttribute("aria-live", "polite"));
  canvas.addEventListener("blur", () => readout.setAttribute("aria-live", "off"));
  const follow = (event) => {
    if (!state.layout) return;
    const box = canvas.getBoundingClientRect();
    const { gutter, cell } = state.layout;
    select(Math.floor((event.clientY - box.top) / cell), Math.floor((event.clientX - box.left - gutter) / cell));
  };
  for (const kind of ["pointermove", "pointerdown"]) canvas.addEventListener(kind, follow); // touch screens send no pointermove without a tap
  canvas.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move || !state.map) return;
    event.preventDefault();
    const [row, column] = state.cursor || positionOf(state.map, state.best).map((position) => Math.max(position, 0));
    select(row + move[0], column + move[1]);
  });

  function show(estimates, best) {
    state.map = mapOf(estimates);
    state.best = best;
    state.cursor = state.cursor?.every((position) => position < estimates.items.length) ? state.cursor : null;
    canvas.dataset.plan = estimates.plan_version;
    canvas.dataset.measured = state.map.measured;
    canvas.dataset.imputed = state.map.imputed;
    canvas.hidden = !state.map.measured && !state.map.imputed;
    replace(legend, ...legendOf(state.map));
    draw();
    if (canvas.hidden) return;
    const [row, column] = state.cursor || positionOf(state.map, best);
    if (row >= 0 && column >= 0) setText(readout, described(state.map, row, column));
  }

  return { node, show, end, size: () => Number(choice.value) };
}

// The response with the index of a cell in the triangle and the range of the colours.
function mapOf({ items, cells }) {
  const n = items.length;
  const index = (a, b) => (a < b ? (a * (2 * n - a - 1)) / 2 + b - a - 1 : index(b, a));
  const known = cells.reward.map((_, k) => k).filter((k) => cells.reward[k] !== null);
  const reliable = known.filter((k) => cells.shown[k] >= ENOUGH);
  let [low, high] = [1, 0];
  for (const k of reliable.length ? reliable : known) {
    low = Math.min(low, cells.reward[k]);
    high = Math.max(high, cells.reward[k]);
  }
  const measured = known.filter((k) => cells.measured[k]).length;
  return { items, cells, index, low, high: Math.max(high, low + 1e-6), measured, imputed: known.length - measured };
}

// The side of a measured square as a share of its cell, from 0.5 to 1.
const sideShare = (shown) => 0.5 + 0.5 * Math.min(1, Math.log(shown + 1) / Math.log(OFTEN));

// Row and column of the best pair; -1 for an item that is not shown.
const positionOf = ({ items }, best) => [best.i, best.j].map((number) => items.findIndex((item) => item.i === number));

// The margin for the labels, up to a share of the width; none if the rows are too small for labels.
function layoutOf({ items }, width, canvas) {
  const most = Math.min(LARGEST_MAP, width);
  const pen = canvas.getContext("2d");
  pen.font = fontOf(LARGEST_CELL, 700);
  const widest = Math.max(...items.map((item) => pen.measureText(item.label.slice(0, 40)).width));
  const gutter = Math.ceil(Math.min(widest + 10, 180, width * 0.28));
  const cell = Math.min(LARGEST_CELL, (most - gutter) / items.length);
  if (cell < SMALLEST_LABELLED) return { gutter: 0, cell: Math.min(LARGEST_CELL, most / items.length), labelled: false };
  return { gutter, cell, labelled: true };
}

const fontOf = (cell, weight = 400) => `${weight} ${Math.min(13, cell * 0.85)}px system-ui, sans-serif`;

function paint(canvas, { map, layout, cursor, best }) {
  const { items, cells, index, low, high } = map;
  const { gutter, cell, labelled } = layout;
  const n = items.length;
  const scale = devicePixelRatio || 1;
  const [width, height] = [gutter + n * cell, n * cell];
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const seam = cell > 5 ? 1 : 0;
  const room = cell - seam;
  for (let a = 0; a < n; a += 1) {
    for (let b = 0; b < n; b += 1) {
      const k = a === b ? -1 : index(a, b);
      const reward = k < 0 ? null : cells.reward[k];
      if (reward === null) continue;
      pen.fillStyle = pen.strokeStyle = colour((reward - low) / (high - low));
      const [x, y] = [gutter + b * cell + room / 2, a * cell + room / 2];
      const side = room * sideShare(cells.shown[k]);
      if (cells.measured[k] && cells.shown[k] < ENOUGH && side > 5) frame(pen, x, y, side);
      else if (cells.measured[k]) square(pen, x, y, side);
      else dot(pen, x, y, Math.max(room * 0.3, 1));
    }
  }
  pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
  if (labelled) drawLabels(pen, items, gutter, cell, cursor || positionOf(map, best));
  const [row, column] = positionOf(map, best);
  pen.lineWidth = 2;
  if (row >= 0 && column >= 0) for (const [a, b] of [[row, column], [column, row]]) pen.strokeRect(gutter + b * cell, a * cell, cell - seam, cell - seam);
  if (cursor) {
    pen.setLineDash([3, 2]);
    pen.strokeRect(gutter + cursor[1] * cell, cursor[0] * cell, cell - seam, cell - seam);
  }
}

function square(pen, x, y, side) {
  pen.fillRect(x - side / 2, y - side / 2, side, side);
}

function frame(pen, x, y, side) {
  pen.lineWidth = 1.5;
  pen.strokeRect(x - side / 2 + 0.75, y - side / 2 + 0.75, side - 1.5, side - 1.5);
}

function dot(pen, x, y, across) {
  if (across < 2.5) return square(pen, x, y, across); // no visible difference, and circles take longer
  pen.beginPath();
  pen.arc(x, y, across / 2, 0, 2 * Math.PI);
  pen.fill();
}

// Writes the labels at the left of the cells; those of the described pair are bold.
function drawLabels(pen, items, gutter, cell, bold) {
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  items.forEach((item, a) => {
    let text = item.label;
    pen.font = fontOf(cell, bold.includes(a) ? 700 : 400);
    while (text.length > 1 && pen.measureText(text).width > gutter - 8) text = `${text.slice(0, text.length > 60 ? 50 : -2)}…`;
    pen.fillText(text, gutter - 7, (a + 0.5) * cell);
  });
}

function described({ items, cells, index }, row, column) {
  if (row === column) return `${items[row].label}: pairs of different items only.`;
  const k = index(row, column);
  const pair = pairName([items[row].label, items[column].label]);
  if (cells.reward[k] === null) return `${pair}: nothing is known yet.`;
  if (!cells.measured[k]) return `${pair}: about ${percent(cells.reward[k])}, imputed from other pairs; it proves nothing.`;
  return `${pair}: ${percent(cells.reward[k])}, between ${percent(cells.low[k])} and ${percent(cells.high[k])}, measured in ${count(cells.shown[k])} impressions.`;
}

function legendOf(map) {
  if (!map.measured && !map.imputed) return [];
  const ramp = element("canvas", { width: TABLE.length, height: 1, "aria-hidden": "true" });
  const pen = ramp.getContext("2d");
  TABLE.forEach((shade, step) => {
    pen.fillStyle = shade;
    pen.fillRect(step, 0, 1, 1);
  });
  return [
    element("span", {}, percent(map.low), ramp, percent(map.high)),
    element("span", {}, sample((pen) => square(pen, 10, 10, 20)), `measured (${count(map.measured)}), larger: shown more often`),
    element("span", {}, sample((pen) => frame(pen, 10, 10, 15)), `measured in fewer than ${ENOUGH} impressions`),
    element("span", {}, sample((pen) => dot(pen, 10, 10, 9)), `imputed from other pairs (${count(map.imputed)})`),
    element("span", {}, sample((pen) => pen.strokeRect(2, 2, 16, 16)), "the best pair"),
    element("span", {}, "Columns are the items of the rows, in the same order."),
  ];
}

function sample(draw) {
  const canvas = element("canvas", { class: "sample", width: 20, height: 20, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  pen.fillStyle = pen.strokeStyle = colour(0.65);
  pen.lineWidth = 3;
  draw(pen);
  return canvas;
}
