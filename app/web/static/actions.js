// What can be done with a session: pause, resume, stop; take its log and its certificate home.

import { certificatePath, changeSession, download, exportPath, hasKey } from "./api.js";
import { element, freshId } from "./dom.js";

export function actions(session, onChange) {
  const wrong = element("p", { class: "notice bad", role: "alert", hidden: true });
  const pause = element("button", { type: "button" }, "Pause");
  const stop = element("button", { type: "button", class: "danger" }, "Stop…");
  const certificate = file("Certificate", certificatePath(session.id), `bestpair-${session.id}-certificate.json`);
  const log = file("Export", exportPath(session.id, "ndjson"), `bestpair-${session.id}.ndjson`);
  const table = file("CSV", exportPath(session.id, "csv"), `bestpair-${session.id}.csv`);
  const confirm = question(() => change("stopped"));
  const node = element("div", { class: "actions" }, pause, stop, certificate, log, table, confirm, wrong);
  let state = session.state;

  async function change(to) {
    wrong.hidden = true;
    pause.disabled = true;
    try {
      onChange(await changeSession(session.id, { state: to }));
    } catch (error) {
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
    pause.disabled = false;
  }

  pause.addEventListener("click", () => change(state === "running" ? "paused" : "running"));
  stop.addEventListener("click", () => confirm.showModal());

  function show(best) {
    state = best.state;
    pause.textContent = state === "paused" ? "Resume" : "Pause";
    pause.hidden = stop.hidden = state === "stopped";
    certificate.hidden = !best.certified;
  }

  return { node, show };
}

function file(words, path, name) {
  const onclick = (event) => {
    if (!hasKey()) return; // a plain link: the browser streams it to disk
    event.preventDefault();
    download(path, name);
  };
  return element("a", { class: "button", href: path, download: name, onclick }, words);
}

function question(onYes) {
  const title = freshId("stop");
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
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && onYes());
  return dialog;
}
