// The verdict in words, how far the proof is, and the figures behind it.

import { element, say } from "./dom.js";
import { count, gapInWords, glance, inPoints, progress, roughly, verdict } from "./words.js";

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
  const goal = element("span", {}, session.model === "deterministic" ? "goal the exact answer" : `goal ${inPoints(session.epsilon)}`);
  const figures = { counted: "Impressions counted", contenders: "Pairs in the race", left: "Impressions to go, about", plan: "Plan" };
  const cells = Object.fromEntries(Object.keys(figures).map((name) => [name, element("dd")]));
  const node = element(
    "section",
    { class: "card verdict", "aria-label": "Verdict" },
    // One region for both sentences: what changes is read out together, and politely.
    element("div", { "aria-live": "polite", "aria-atomic": "true" }, element("p", { class: "small" }, chip), words, more),
    meter,
    element("div", { class: "meter-ends numbers" }, gap, goal),
    element(
      "dl",
      { class: "figures-row" },
      ...Object.entries(figures).map(([name, label]) => element("div", {}, element("dt", {}, label), cells[name])),
    ),
  );

  const labels = (best) => [session.items[best.i].label, session.items[best.j].label];

  function show(best, counters) {
    const [sentence, second] = verdict(best, labels(best), session.model);
    node.className = `card verdict ${best.verdict}`;
    const [kind, short] = glance(best);
    chip.className = `chip ${kind}`;
    say(chip, short);
    say(words, sentence);
    say(more, second);
    const share = Math.round(100 * progress(best));
    fill.style.width = `${share}%`;
    meter.setAttribute("aria-valuenow", share);
    meter.setAttribute("aria-valuetext", `${gapInWords(best.gap)}, goal ${inPoints(best.epsilon)}`);
    say(gap, gapInWords(best.gap));
    say(cells.counted, count(counters.counted));
    say(cells.contenders, best.verdict === "certified" ? "–" : count(best.contenders));
    say(cells.left, best.verdict === "not_yet" && best.forecast_samples !== null ? roughly(best.forecast_samples) : "–");
    say(cells.plan, `${best.plan_version} (${best.phase})`);
  }

  return { node, show };
}
