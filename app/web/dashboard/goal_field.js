// The goal in the form: one row for each kind, of which one is chosen. Its fields are the settings of both kinds; that of
// the other kind is left out.

import { element } from "./dom.js";
import { KINDS } from "./goal.js";

const HINT = "Half the distance to the best takes two to four times the impressions.";

// Returns the node and, by setting, the fields for the form.
export function goalFields(schemas) {
  const rows = KINDS.map((kind) => row(kind, schemas[kind.setting]));

  function choose(chosen) {
    for (const each of rows) {
      each.radio.checked = each === chosen;
      // Not checked by the browser, and skipped by the tab key: moving through the form changes nothing.
      each.input.readOnly = each !== chosen;
      each.input.tabIndex = each === chosen ? 0 : -1;
    }
  }

  for (const each of rows) {
    each.radio.addEventListener("change", () => choose(each));
    each.input.addEventListener("focus", () => choose(each));
  }
  choose(rows[0]);
  const node = element(
    "fieldset",
    { class: "field choices", role: "radiogroup", "aria-describedby": "hint-goal" },
    element("legend", {}, "How good must the pair be?"),
    ...rows.map((each) => each.node),
    element("p", { class: "hint", id: "hint-goal" }, HINT),
  );
  return { node, fields: Object.fromEntries(KINDS.map(({ setting }, k) => [setting, rows[k]])) };
}

function row({ setting, form }, schema) {
  const { exclusiveMinimum, exclusiveMaximum } = (schema.anyOf ?? [schema]).find(({ type }) => type === "number");
  const [min, max] = [exclusiveMinimum, exclusiveMaximum].map(form.unit.shown).sort((a, b) => a - b);
  const radio = element("input", { type: "radio", name: "goal", id: `goal-${setting}`, "aria-describedby": `hint-${setting}` });
  const describedBy = `hint-${setting} wrong-${setting}`;
  const input = element("input", { type: "number", id: `field-${setting}`, name: setting, min, max, step: "any", required: true, "aria-label": form.label, "aria-describedby": describedBy });
  input.value = form.unit.shown(schema.default ?? form.start);
  // Both limits are excluded, and the service would name them in its own unit.
  const between = () => input.value === "" || (Number(input.value) > min && Number(input.value) < max);
  input.addEventListener("input", () => input.setCustomValidity(between() ? "" : `Must be above ${min} and below ${max}.`));
  const wrong = element("p", { class: "wrong", id: `wrong-${setting}` });
  const node = element(
    "div",
    { class: "choice" },
    radio,
    element(
      "div",
      { class: "answer" },
      element("label", { for: radio.id }, form.before, element("span", { class: "hidden-text" }, ` ${form.after}`)),
      input,
      element("span", { "aria-hidden": "true" }, form.after),
    ),
    element("p", { class: "hint", id: `hint-${setting}` }, form.hint),
    wrong,
  );
  return { radio, input, wrong, node, read: () => (radio.checked && input.value !== "" ? form.unit.sent(Number(input.value)) : undefined) };
}
