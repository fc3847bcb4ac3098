// How to connect an ad server; shown until the first pair is handed out.

import { hasKey } from "./api.js";
import { element } from "./dom.js";

export function connectPanel(session) {
  const at = new URL(`v1/sessions/${session.id}`, location.href.split("#")[0]).href;
  const key = hasKey() ? " -H 'Authorization: Bearer …'" : "";
  const answer = session.feedback === "items" ? '"clicked": ["…"]' : '"reward": 1';
  const node = element(
    "section",
    { class: "card connect", "aria-label": "Connect an ad server", hidden: true },
    element("h2", {}, "Connect your ad server"),
    element("p", {}, "For each impression, ask which two items to show:"),
    code(`curl -X POST ${at}/next-pair${key}`),
    element("p", {}, "Then say what came of it, with the ticket from the answer:"),
    code(`curl ${at}/feedback${key} -H 'Content-Type: application/json' -d '{"ticket": "…", ${answer}}'`),
    element("p", { class: "soft small" }, missingFeedback(session)),
  );
  return { node, show: (counters) => (node.hidden = counters.issued > 0) };
}

const code = (text) => element("pre", { tabindex: 0 }, element("code", {}, text));

function missingFeedback(session) {
  if (session.missing_feedback === "void") return "Report impressions without a click too: one that is never reported is left out, not counted as no click.";
  return "Only clicks need be reported: silence counts as no click once the attribution window has closed.";
}
