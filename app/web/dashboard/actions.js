// The buttons of a session: pause, resume, stop, raise the budget, and downloads of the log and the certificate.

import { certificatePath, changeSession, download, exportPath, hasKey, mayChange } from "./api.js";
import { element, uniqueId } from "./dom.js";

export function actions(session, onChange) {
  const wrong = element("p", { class: "notice bad", role: "alert", hidden: true });
  const pause = element("button", { type: "button" }, "Pause");
  const stop = element("button", { type: "button", class: "danger" }, "Stop…");
  const certificate = downloadLink("Certificate", certificatePath(session.id), `bestpair-${session.id}-certificate.json`);
  const log = downloadLink("Export", exportPath(session.id, "ndjson"), `bestpair-${session.id}.ndjson`);
  const table = downloadLink("CSV", exportPath(session.id, "csv"), `bestpair-${session.id}.csv`);
  const confirm = stopDialog(() => change({ state: "stopped" }));
  const raise = element("button", { type: "button", class: "main-action", hidden: true }, "Raise budget…");
  const amount = budgetDialog(session, (budget) => change({ budget }));
  const node = element("div", { class: "actions" }, raise, pause, stop, certificate, log, table, confirm, amount, wrong);
  let state = session.state;
  const readOnly = element("p", { class: "soft small", hidden: true }, "This key may only read.");
  node.append(readOnly);
  mayChange().then(
    (may) => {
      for (const button of [raise, pause, stop]) button.disabled = !may.change;
      readOnly.hidden = may.change;
    },
    () => {}, // the service refuses the call when a button is pressed
  );

  async function change(to) {
    wrong.hidden = true;
    pause.disabled = true; // until the response arrives
    try {
      const changed = await changeSession(session.id, to);
      session.budget = changed.budget;
      onChange(changed);
    } catch (error) {
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
    pause.disabled = false;
  }

  pause.addEventListener("click", () => change({ state: state === "running" ? "paused" : "running" }));
  raise.addEventListener("click", () => amount.showModal());
  stop.addEventListener("click", () => confirm.showModal());

  function show(best) {
    state = best.state;
    pause.textContent = state === "paused" ? "Resume" : "Pause";
    pause.hidden = stop.hidden = state === "stopped";
    raise.hidden = best.verdict !== "exhausted" || session.budget === null || state === "stopped";
    certificate.hidden = !best.certified;
  }

  return { node, show };
}

function downloadLink(text, path, name) {
  const onclick = (event) => {
    if (!hasKey()) return; // a plain link: the browser streams it to disk
    event.preventDefault();
    download(path, name);
  };
  return element("a", { class: "button", href: path, download: name, onclick }, text);
}

function stopDialog(onYes) {
  const title = uniqueId("stop");
  const dialog = element(
    "dialog",
    { "aria-labelledby": title },
    element("h2", { id: title }, "Stop this session for good?"),
    element("p", {}, "It hands out no more pairs, and cannot be resumed. What it has learnt stays."),
    element(
      "form",
      { method: "dialog", class: "page-head" },
      element("button", { value: "no" }, "Keep it"),
      element("button", { value: "yes", class: "danger" }, "Stop it"),
    ),
  );
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") onYes();
    dialog.returnValue = ""; // otherwise it would apply again if the dialog is closed with Escape
  });
  return dialog;
}

function budgetDialog(session, onSubmit) {
  const title = uniqueId("budget");
  const field = element("input", { id: `${title}-field`, type: "number", min: (session.budget ?? 0) + 1, step: 1, required: true, value: 2 * (session.budget ?? 0) });
  const dialog = element(
    "dialog",
    { "aria-labelledby": title },
    element("h2", { id: title }, "Raise the budget"),
    element(
      "form",
      { method: "dialog" },
      element("div", { class: "field" }, element("label", { for: field.id }, "Impressions that may count, in all"), field),
      element("button", { value: "yes", class: "main-action" }, "Go on searching"),
    ),
  );
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") onSubmit(Number(field.value));
    dialog.returnValue = "";
  });
  return dialog;
}
