// The settings of a session: the fields of the form and the rows of the settings panel. Names, types, defaults, limits
// and descriptions come from openapi.json; here is only what people read in other words or in other units.

import { element } from "./dom.js";
import { goalOf } from "./goal.js";
import { goalFields } from "./goal_field.js";
import { ONE_MINUS_PERCENT, PERCENT } from "./units.js";
import { capital, confidence, count, duration, when } from "./words.js";

// By setting: label and hint of its field, unit and words of its values, and its row in the panel, if it has one.
const WORDS = {
  relative_epsilon: { row: (session) => ["Goal", goalOf(session).words] },
  epsilon: { row: () => null }, // the goal is one row
  delta: { label: "Confidence, in percent", hint: "How likely the verdict must be right.", unit: ONE_MINUS_PERCENT, row: ({ delta }) => ["Confidence", confidence(delta)] },
  budget: { hint: "The most impressions that may count; empty: no limit.", row: ({ budget }) => ["Budget", budget === null ? "no limit" : `${count(budget)} impressions`] },
  model: { hint: "Deterministic: a pair always gets the same answer, a number from 0 to 1." },
  feedback: {
    label: "Do you know which items were clicked?",
    hint: "An ad server nearly always knows. Say yes only if a click on one item does not hide the other, for example because pages open in a new tab.",
    // Without a default: a wrong one costs many impressions, or feedback that the service refuses.
    question: {
      items: ["Yes, feedback names the clicked items", "Needs a third to a thirteenth of the impressions."],
      pair: ["No, only whether there was a click", ""],
    },
    row: ({ feedback }) => ["Feedback", { pair: "whether there was a click", items: "which items were clicked" }[feedback]],
  },
  policy: { hint: "Empty: the one that fits the model." },
  rank: { label: "Groups of users (rank)", hint: "“auto”, or a number for the paper’s policies that take one.", row: ({ rank }) => ["Groups (rank)", String(rank)] },
  self_pairs: { hint: "Whether one item may be shown in both slots." },
  explore_share: { label: "Exploration, in percent", hint: "Of impressions; the others show the best pair so far.", unit: PERCENT },
  while_waiting: {
    label: "While waiting",
    hint: "What is shown when a plan was handed out and its answers are awaited.",
    values: { explore: "more of the plan, then the best pair so far: the fastest verdict", exploit: "the best pair so far: the fewest impressions" },
    row: ({ while_waiting: value }) => ["While waiting", WORDS.while_waiting.values[value]],
  },
  attribution_window_seconds: {
    hint: "How long after it was shown a pair can still be clicked. 0: every outcome is reported.",
    row: ({ attribution_window_seconds: seconds }) => seconds > 0 && ["Attribution window", duration(seconds)],
  },
  ticket_ttl_seconds: {
    label: "Ticket lifetime, in seconds",
    hint: "Without a window: how long to wait for an answer. Later ones are not counted.",
    row: (session) => session.attribution_window_seconds === 0 && ["Ticket lifetime", duration(session.ticket_ttl_seconds)],
  },
  missing_feedback: {
    label: "Silence means",
    hint: "What a missing answer means; by default no click with a window, and a lost answer without one.",
    values: { void: "a lost answer", no_click: "no click" },
    row: (session) => ["Silence means", WORDS.missing_feedback.values[session.missing_feedback]],
  },
  seed: { hint: "Empty: random." },
};

const FIRST = ["feedback", "relative_epsilon", "epsilon", "delta", "budget"]; // the settings that most people look for

const labelOf = (name) => WORDS[name]?.label ?? capital(name.replace(/_seconds$/, ", in seconds").replaceAll("_", " "));

// All fields of the form by setting, and their nodes: questions, further fields that are always visible, and the others.
export function fieldsOf(schemas) {
  const names = inOrder(Object.keys(schemas));
  const goal = goalFields(schemas);
  const fields = Object.fromEntries(names.map((name) => [name, goal.fields[name] ?? fieldOf(name, schemas[name])]));
  const nodeOf = (name) => fields[name].node;
  return { fields, questions: [nodeOf("feedback"), goal.node], main: ["delta", "budget"].map(nodeOf), others: names.slice(FIRST.length).map(nodeOf) };
}

// The input of a setting and how to read it: undefined if it is left out.
export function fieldOf(name, schema) {
  const { hint = schema.description, unit, values = {}, question } = WORDS[name] ?? {};
  if (question) return questionField(name, labelOf(name), hint, question);
  const types = schema.anyOf ?? [schema];
  const kind = types.find(({ type }) => type !== "null");
  const numeric = types.every(({ type }) => ["number", "integer", "null"].includes(type));
  const shown = (value) => (unit && typeof value === "number" ? unit.shown(value) : value);
  let input;
  if (kind.enum) {
    const options = kind.enum.map((value) => element("option", { value }, values[value] ?? value));
    input = element("select", {}, schema.default === null && element("option", { value: "" }, "default"), ...options);
  } else if (numeric) {
    const limits = [kind.minimum ?? kind.exclusiveMinimum, kind.maximum ?? kind.exclusiveMaximum].map(shown).sort((a, b) => a - b);
    input = element("input", { type: "number", min: limits[0], max: limits[1], step: kind.type === "integer" ? 1 : "any" });
  } else {
    input = element(kind.maxLength > 500 ? "textarea" : "input", { maxlength: kind.maxLength });
  }
  if (schema.default !== undefined && schema.default !== null) input.value = shown(schema.default);

  function read() {
    const text = input.value.trim();
    if (text === "") return undefined;
    const number = types.some(({ type }) => type === "number" || type === "integer") && !Number.isNaN(Number(text));
    return number ? (unit ? unit.sent(Number(text)) : Number(text)) : text;
  }

  return { ...field(name, labelOf(name), hint, input), read };
}

// A question with one radio button for each answer, none of them chosen at the start.
function questionField(name, label, hint, answers) {
  const radios = Object.keys(answers).map((value) => element("input", { type: "radio", name, value, id: `${name}-${value}`, required: true }));
  const rows = radios.map((radio) => {
    const [text, more] = answers[radio.value];
    return element("div", { class: "choice" }, radio, element("label", { for: radio.id }, text), more && element("p", { class: "hint" }, more));
  });
  const wrong = element("p", { class: "wrong", id: `wrong-${name}` });
  const node = element(
    "fieldset",
    { class: "field choices", role: "radiogroup", tabindex: -1, "aria-describedby": `hint-${name} wrong-${name}` },
    element("legend", {}, label),
    ...rows,
    element("p", { class: "hint", id: `hint-${name}` }, hint),
    wrong,
  );
  return { input: node, wrong, node, read: () => radios.find(({ checked }) => checked)?.value };
}

// A labelled input with a hint and a place for the error of the service.
export function field(name, label, hint, input) {
  input.id = `field-${name}`;
  input.name = name;
  input.setAttribute("aria-describedby", `hint-${name} wrong-${name}`);
  const wrong = element("p", { class: "wrong", id: `wrong-${name}` });
  const hintNode = element("p", { class: "hint", id: `hint-${name}` }, hint);
  return { input, wrong, hintNode, node: element("div", { class: "field" }, element("label", { for: input.id }, label), input, hintNode, wrong) };
}

// Settings in the order in which people read them.
export const inOrder = (names) => [...FIRST, ...names.filter((name) => !FIRST.includes(name))];

const NOT_SETTINGS = ["created_at", "updated_at", "counters", "best_pair", "best_labels", "items"];

export function settingsPanel(session) {
  const all = Object.keys(session);
  // Editable texts come before n_items; the head of the page shows them.
  const names = all.slice(all.indexOf("n_items") + 1).filter((name) => !NOT_SETTINGS.includes(name));
  const rows = inOrder(names).map((name) => (WORDS[name]?.row ?? plainRow(name))(session));
  const shown = [["Items", count(session.n_items)], ...rows.filter(Boolean), ["Created", when(session.created_at)], ["Id", session.id]];
  return element(
    "section",
    { class: "card wide always", "aria-label": "Settings" },
    element("h2", {}, "Settings"),
    element("dl", { class: "settings small in-columns" }, ...shown.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
  );
}

const plainRow = (name) => (session) => [labelOf(name), String(WORDS[name]?.unit?.shown(session[name]) ?? session[name])];
