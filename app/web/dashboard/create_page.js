// The form for a new session. Errors of the service are shown below the fields that they name.

import { createSession, getSettings } from "./api.js";
import { element, replace } from "./dom.js";
import { forecastPanel } from "./forecast_panel.js";
import { field, fieldOf, fieldsOf } from "./settings.js";
import { count } from "./words.js";

const ITEMS_HINT = "One a line: an id, and after a comma a label if you like.";

export function readItems(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const comma = line.indexOf(",");
      if (comma < 0) return { id: line };
      return { id: line.slice(0, comma).trim(), label: line.slice(comma + 1).trim() };
    });
}

export function open(holder) {
  document.title = "New session · bestpair";
  const page = { closed: false };
  replace(holder, element("p", { class: "soft", role: "status" }, "Loading…"));
  getSettings().then(
    (settings) => page.closed || showForm(holder, settings),
    (error) => page.closed || replace(holder, element("p", { class: "notice bad", role: "alert" }, error.message)),
  );
  return () => {
    page.closed = true;
  };
}

function itemsField() {
  const input = element("textarea", { required: true, spellcheck: "false", placeholder: "ad-17, Blue shoes\nad-42, Red hat\nad-51, Green scarf" });
  return { ...field("items", "Items", ITEMS_HINT, input), read: () => readItems(input.value) };
}

function showForm(holder, { items: _, name, ...settings }) {
  const { fields: ofSettings, questions, main, others } = fieldsOf(settings);
  const fields = { name: fieldOf("name", name), items: itemsField(), ...ofSettings };
  const readAll = () => Object.fromEntries(Object.entries(fields).map(([each, { read }]) => [each, read()]));
  const forecast = forecastPanel(readAll);
  const wrong = element("p", { class: "notice bad", role: "alert", hidden: true });
  const send = element("button", { class: "main-action" }, "Create session");
  const more = element(
    "details",
    {},
    element("summary", {}, "More settings"),
    element("div", { class: "pair-of-fields" }, ...others),
  );
  const form = element(
    "form",
    { class: "card form" },
    wrong,
    fields.name.node,
    fields.items.node,
    ...questions,
    element("div", { class: "pair-of-fields" }, ...main),
    forecast.node,
    more,
    send,
  );
  replace(holder, element("a", { class: "back", href: "#/" }, "← All sessions"), element("div", { class: "page-head" }, element("h1", {}, "New session")), form);

  fields.items.input.addEventListener("input", () => {
    const n = readItems(fields.items.input.value).length;
    fields.items.hintNode.textContent = n < 2 ? ITEMS_HINT : `${count(n)} items, ${count((n * (n - 1)) / 2)} pairs.`;
  });

  for (const kind of ["input", "change", "focusin"]) form.addEventListener(kind, forecast.update); // a goal is chosen by focus, too

  function showErrors(error) {
    let first = null;
    for (const { field, message } of error.errors || []) {
      const name = field.split(/[.[]/)[0];
      if (!fields[name]) continue;
      fields[name].wrong.textContent = `${field === name ? "" : `${field} `}${message}`;
      fields[name].input.setAttribute("aria-invalid", "true");
      first ??= fields[name].input;
    }
    if (first && more.contains(first)) more.open = true;
    wrong.textContent = error.message;
    wrong.hidden = Boolean(first);
    first?.focus();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.hidden = true;
    for (const { input, wrong: message } of Object.values(fields)) {
      input.removeAttribute("aria-invalid");
      message.textContent = "";
    }
    send.disabled = true;
    try {
      const session = await createSession(readAll());
      location.hash = `#/sessions/${session.id}`;
    } catch (error) {
      showErrors(error);
    }
    send.disabled = false;
  });
}
