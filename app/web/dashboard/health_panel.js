// The health panel: findings and assumptions.

import { element, replace } from "./dom.js";
import { assumption, troubles } from "./words.js";

export function healthPanel() {
  const findings = element("div", { "aria-live": "polite" });
  const assumed = element("ul", { class: "plain-list small soft" });
  const node = element("section", { class: "card third always", "aria-label": "Health" }, element("h2", { id: "health" }, "Health"), findings, element("h3", {}, "What the proof rests on"), assumed);
  let shown = "";

  function show(best) {
    const now = JSON.stringify([best.health, best.assumptions]);
    if (now === shown) return;
    shown = now;
    node.classList.toggle("urgent", best.health.some(({ suspends }) => suspends) || troubles(best).length > 0); // then the panel is the first one
    replace(findings, best.health.length ? element("ul", { class: "findings" }, ...best.health.map(finding)) : element("p", {}, "Nothing seen so far speaks against the assumptions."));
    replace(assumed, ...best.assumptions.map((name) => element("li", {}, assumption(name))));
  }

  return { node, show };
}

function finding({ problem, cause, advice, suspends }) {
  return element(
    "li",
    { class: suspends ? "suspends" : "" },
    element("p", {}, element("strong", {}, suspends ? "Suspends the verdict: " : "Worth knowing: "), `${problem}${problem.endsWith("?") ? "" : "."}`),
    element("p", { class: "small" }, `Likely cause: ${cause}.`),
    element("p", { class: "small" }, `What to do: ${advice}.`),
  );
}
