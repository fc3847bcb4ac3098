// The verdict in words, the progress of the proof, and the figures behind it.

import { element, replace, setText } from "./dom.js";
import { goalOf } from "./goal.js";
import { count, duration, statusLabel, pace, progress, approximate, verdict } from "./words.js";

export function verdictPanel(session) {
  const words = element("p", { class: "words", id: "verdict" });
  const more = element("p", { class: "more" });
  const chip = element("span", {});
  const fill = element("div", { class: "fill" });
  const meter = element(
    "div",
    { class: "meter", role: "progressbar", "aria-label": "From knowing nothing to the goal", "aria-valuemin": 0, "aria-valuemax": 100 },
    fill,
  );
  const gap = element("span");
  const goal = goalOf(session);
  const figures = element("dl", { class: "figures-row" });
  let shown = "";
  const node = element(
    "section",
    { class: "card verdict", "aria-label": "Verdict" },
    // One live region for both sentences, so that screen readers read them together.
    element("div", { "aria-live": "polite", "aria-atomic": "true" }, element("p", { class: "small" }, chip), words, more),
    meter,
    element("div", { class: "meter-ends numbers" }, gap, element("span", {}, goal.short)),
    figures,
  );

  const labels = (best) => [session.items[best.i].label, session.items[best.j].label];

  function show(best, counters, points) {
    const [sentence, second] = verdict(best, labels(best), goal, counters);
    const [kind, short] = statusLabel(best, counters);
    node.className = `card verdict ${kind === "vague" ? kind : best.verdict}`;
    chip.className = `chip ${kind}`;
    setText(chip, short);
    setText(words, sentence);
    setText(more, second);
    const share = Math.round(100 * progress(best, goal));
    fill.style.width = `${share}%`;
    meter.setAttribute("aria-valuenow", share);
    meter.setAttribute("aria-valuetext", `${goal.shortGap(best)}, ${goal.short}`);
    setText(gap, [goal.shortGap(best), goal.otherGap(best)].filter(Boolean).join(" · "));
    const rows = figuresOf(session, best, counters, points);
    if (shown === (shown = JSON.stringify(rows))) return;
    replace(figures, ...rows.map(([label, value]) => element("div", {}, element("dt", {}, label), element("dd", {}, value))));
  }

  return { node, show };
}

// The figures: a forecast while the session searches, the duration afterwards.
function figuresOf(session, best, counters, points) {
  const pairs = (session.n_items * (session.n_items - 1)) / 2;
  const counted = ["Impressions counted", count(counters.counted)];
  const arriving = [["Handed out", count(counters.issued)], ["Answered", count(counters.answered)], counted];
  const plan = ["Plan", `${best.plan_version} (${best.phase})`];
  if (best.verdict === "certified") {
    const took = points.length > 1 ? duration((Date.parse(points.at(-1).at) - Date.parse(points[0].at)) / 1000) : "–";
    return [counted, ["Pairs to choose from", count(pairs)], ["Time taken", took], plan];
  }
  if (!best.samples) return [...arriving, ["Pairs to choose from", count(pairs)], plan];
  const race = ["Pairs in the race", `${count(best.contenders)} of ${count(pairs)}`];
  if (best.verdict !== "not_yet") return [counted, race, plan];
  const left = best.forecast_samples;
  const speed = best.state === "running" ? pace(points, counters.counted, Date.now()) : null;
  return [
    counted,
    race,
    ["Impressions to go, about", left === null ? "–" : approximate(left)],
    ["Time to go, at this pace", left === null || speed === null ? "–" : duration(left / speed)],
    plan,
  ];
}
