// The best pair with its interval, and the pairs that may still be better.

import { svgElement, element, replace, setText } from "./dom.js";
import { pairName, count, percent } from "./words.js";

// An interval on a scale from 0 to 1 (or `from` to `to`), with its point and, dashed, the bound to beat.
export function intervalBar({ low, high, value, beat = null, from = 0, to = 1, leader = false }) {
  const x = (share) => 100 * Math.max(0, Math.min(1, (share - from) / (to - from)));
  return svgElement(
    "svg",
    { class: `interval${leader ? " leader" : ""}`, viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
    svgElement("rect", { class: "rail", x: 0, y: 5, width: 100, height: 4 }),
    svgElement("rect", { class: "range", x: x(low), y: 2, width: Math.max(x(high) - x(low), 0.6), height: 10 }),
    value !== null && svgElement("rect", { class: "point", x: x(value) - 0.5, y: 1, width: 1, height: 12 }),
    beat !== null && svgElement("line", { class: "beat", x1: x(beat), x2: x(beat), y1: 0, y2: 14, "vector-effect": "non-scaling-stroke" }),
  );
}

export function bestPanel(session) {
  const name = element("p", { class: "pair-name" });
  const big = element("p", { class: "big" });
  const range = element("p", { class: "soft" });
  const bar = element("div", { class: "best-bar" });
  const end = element("span");
  const ends = element("div", { class: "meter-ends numbers", "aria-hidden": "true" }, element("span", {}, "0\u00a0%"), end);
  const comparison = element("dl", { class: "settings small comparison", hidden: true });
  const node = element("section", { class: "card third", "aria-label": "Best pair" }, element("h2", {}, "Best pair so far"), name, big, range, bar, ends, comparison);

  function show(best) {
    const [first, second] = [session.items[best.i].label, session.items[best.j].label];
    setText(node.querySelector("h2"), best.verdict === "certified" ? "Best pair" : "Best pair so far");
    replace(name, first, element("span", { class: "plus" }, " + "), second);
    setText(big, best.estimated_reward === null ? "–" : percent(best.estimated_reward));
    const [low, high] = best.interval;
    setText(range, best.estimated_reward === null ? "not measured yet" : `of impressions are clicked; between ${percent(low)} and ${percent(high)}`);
    const to = scaleEnd(high);
    setText(end, `${Number((100 * to).toPrecision(1))}\u00a0%`);
    replace(bar, intervalBar({ low, high, value: best.estimated_reward, to, leader: true }));
  }

  // Estimates, not proofs: they show the value of finding this pair.
  function compare(estimates, best) {
    const next = cellsOf(estimates).find((cell) => !isPair(cell, best));
    const known = estimates.cells.reward.filter((reward) => reward !== null);
    const whole = estimates.items.length === session.n_items && known.length === estimates.cells.reward.length;
    const rows = [];
    if (next) rows.push(["Next best measured", `${pairName([session.items[next.i].label, session.items[next.j].label])}, ${percent(next.reward)}`]);
    if (whole && known.length > 1) rows.push(["A pair at random", `about ${percent(known.reduce((sum, reward) => sum + reward, 0) / known.length)}`]);
    comparison.hidden = !rows.length;
    replace(comparison, ...rows.flatMap(([label, value]) => [element("dt", {}, label), element("dd", { class: "numbers" }, value)]));
  }

  return { node, show, compare };
}

// The smallest of 100 %, 50 %, 20 %, 10 %, 5 %, ... that is at least this share: intervals of rare clicks stay visible.
export function scaleEnd(share) {
  const power = 10 ** Math.ceil(Math.log10(Math.max(share, 1e-4)) - 1e-9);
  return Math.min(1, ...[0.2, 0.5, 1].map((part) => part * power).filter((end) => end >= share));
}

const MOST_ROWS = 8;

export function racePanel(session) {
  const title = element("h2");
  const note = element("p", { class: "soft small" });
  const body = element("tbody");
  const [from, to] = [element("span"), element("span")];
  const interval = element("th", { scope: "col" }, element("span", { class: "hidden-text" }, "Interval on a scale of "), element("span", { class: "scale numbers" }, from, to));
  const node = element(
    "section",
    { class: "card wide race", "aria-label": "Contenders" },
    title,
    note,
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "Pair"),
          interval,
          element("th", { scope: "col", class: "number" }, "Clicked"),
          element("th", { scope: "col", class: "number shown" }, "Shown"),
        ),
      ),
      body,
    ),
  );
  let last = null;

  function rowOf(entry, leader, scale, beat) {
    const [low, high] = entry.interval;
    return element(
      "tr",
      { class: leader ? "leader" : null },
      element("td", {}, entry.labels ? pairName(entry.labels) : pairName([session.items[entry.i].label, session.items[entry.j].label])),
      element(
        "td",
        { class: "bar" },
        intervalBar({ low, high, value: entry.reward, leader, beat: leader ? null : beat, ...scale }),
        element("span", { class: "hidden-text" }, `${percent(low)} to ${percent(high)}`),
      ),
      element("td", { class: "number" }, entry.reward === null ? "–" : percent(entry.reward)),
      element("td", { class: "number shown" }, entry.shown === undefined ? "" : count(entry.shown)),
    );
  }

  function draw(best) {
    const racing = last && last.contenders.length > 0 && best.verdict !== "certified";
    // The contenders are from the last plan, the best pair may be newer: do not show a pair twice.
    const others = last ? (racing ? last.contenders : last.cells).filter((entry) => !isPair(entry, best)).slice(0, MOST_ROWS) : [];
    setText(title, racing ? (best.verdict === "not_yet" ? "Still in the race" : "Not ruled out") : "Runners-up");
    const hidden = racing ? best.contenders - others.length : 0;
    setText(
      note,
      racing
        ? `Pairs that may still be better than the best one by more than the goal${hidden > 0 ? `; ${count(hidden)} more are not shown` : ""}. Dashed: the least the best pair gets.`
        : "The strongest other pairs that were measured, for comparison. Dashed: the least the best pair gets.",
    );
    const leader = { i: best.i, j: best.j, interval: best.interval, reward: best.estimated_reward, shown: last?.shownOfBest };
    const high = Math.max(...[leader, ...others].map((entry) => entry.interval[1]));
    const low = Math.min(...[leader, ...others].map((entry) => entry.interval[0]));
    const margin = (high - low) / 20;
    const scale = { from: Math.max(0, low - margin), to: Math.min(1, high + margin) };
    setText(from, percent(scale.from));
    setText(to, percent(scale.to));
    replace(body, [rowOf(leader, true, scale), ...others.map((entry) => rowOf(entry, false, scale, best.interval[0]))]);
  }

  function show(estimates, best) {
    last = { contenders: estimates.contenders, cells: cellsOf(estimates) };
    last.shownOfBest = last.cells.find((cell) => isPair(cell, best))?.shown;
    draw(best);
  }

  return { node, show, lead: draw };
}

const isPair = (cell, best) => (cell.i === best.i && cell.j === best.j) || (cell.i === best.j && cell.j === best.i);

// The measured cells, best first.
function cellsOf({ items, cells }) {
  const found = [];
  let k = 0;
  for (let a = 0; a < items.length; a += 1) {
    for (let b = a + 1; b < items.length; b += 1, k += 1) {
      if (cells.measured[k]) found.push({ i: items[a].i, j: items[b].i, reward: cells.reward[k], interval: [cells.low[k], cells.high[k]], shown: cells.shown[k] });
    }
  }
  // A pair shown twice and clicked twice is not a runner-up: the lower bound decides.
  return found.sort((one, other) => other.interval[0] - one.interval[0] || other.reward - one.reward);
}
