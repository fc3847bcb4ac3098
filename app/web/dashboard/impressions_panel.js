// The impressions: counted, waiting or void, and counted by phase of the search.

import { element, replace, setText } from "./dom.js";
import { count, approximate } from "./words.js";

export function impressionsPanel(session) {
  const stack = element("div", { class: "stack", "aria-hidden": "true" });
  const keys = element("div", { class: "legend" });
  const arrived = element("p", { class: "numbers arrived" });
  const phases = element("div", { class: "phases small" });
  const node = element(
    "section",
    { class: "card third", "aria-label": "Impressions" },
    element("h2", {}, "Impressions"),
    element("h3", {}, "Explore: shown to learn"),
    arrived,
    stack,
    keys,
    element("h3", {}, "Explore, by phase"),
    phases,
    element("h3", {}, "Exploit: shown the best pair so far"),
    element("p", { class: "soft small exploit" }),
  );

  function show(counters, points) {
    setText(arrived, `${count(counters.issued)} handed out, ${count(counters.answered)} answered`);
    const parts = [
      ["counted", "counted", counters.counted],
      ["waiting", "not counted yet", Math.max(counters.outstanding, 0)],
      ["void", "given up", counters.void],
    ];
    replace(stack, ...parts.filter(([, , n]) => n > 0).map(([kind, , n]) => segment(kind, n)));
    replace(keys, ...parts.map(([kind, words, n]) => element("span", { class: `key ${kind} numbers` }, `${count(n)} ${words}`)));
    replace(phases, ...byPhase(points, counters.counted).flatMap(([phase, n]) => line(phase, n, Math.max(counters.counted, 1))));
    node.querySelector(".exploit").textContent = exploit(session, counters);
  }

  return { node, show };
}

function segment(kind, n) {
  const made = element("div", { class: `segment ${kind}` });
  made.style.flexGrow = n;
  return made;
}

// Impressions counted between a plan and the next one belong to the phase of the first.
export function byPhase(points, counted) {
  const found = new Map();
  points.forEach((point, k) => {
    const until = k + 1 < points.length ? points[k + 1].samples : Math.max(counted, point.samples);
    if (until > point.samples) found.set(point.phase, (found.get(point.phase) || 0) + until - point.samples);
  });
  return [...found];
}

function line(phase, n, all) {
  const fill = element("div", { class: "fill" });
  fill.style.width = `${(100 * n) / all}%`;
  return [element("span", {}, phase), element("div", { class: "meter" }, fill), element("span", { class: "numbers" }, count(n))];
}

function exploit(session, counters) {
  const explanation = "Nothing is learnt from these, so they are not counted.";
  if (session.explore_share >= 1) return `${explanation} They begin after the verdict, or while paused.`;
  const expected = (counters.issued * (1 - session.explore_share)) / session.explore_share;
  return `${explanation} About ${approximate(expected)} are to be expected: exploration gets ${Math.round(100 * session.explore_share)} % of all.`;
}
