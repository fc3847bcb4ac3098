// The health panel (findings and assumptions) and the settings panel.

import { element, replace } from "./dom.js";
import { assumption, count, duration, inPoints, confidence, troubles, when } from "./words.js";

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

export function settingsPanel(session) {
  const rows = [
    ["Items", count(session.n_items)],
    ["Goal", session.model === "deterministic" ? "the exact answer" : `within ${inPoints(session.epsilon)} of the best`],
    ["Confidence", confidence(session.delta)],
    ["Budget", session.budget === null ? "no limit" : `${count(session.budget)} impressions`],
    ["Policy", session.policy],
    ["Model", session.model],
    ["Answers", session.feedback === "items" ? "which items were clicked" : "whether the pair was clicked"],
    ["Groups (rank)", String(session.rank)],
    ["Silence means", session.missing_feedback === "void" ? "a lost answer" : "no click"],
    session.attribution_window_seconds > 0 ? ["Attribution window", duration(session.attribution_window_seconds)] : ["Ticket lifetime", duration(session.ticket_ttl_seconds)],
    ["Seed", String(session.seed)],
    ["Created", when(session.created_at)],
    ["Id", session.id],
  ];
  return element(
    "section",
    { class: "card wide always", "aria-label": "Settings" },
    element("h2", {}, "Settings"),
    element("dl", { class: "settings small in-columns" }, ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
  );
}
