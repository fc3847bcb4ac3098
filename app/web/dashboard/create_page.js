// The form for a new session. Errors of the service are shown below the fields that they name.

import { createSession } from "./api.js";
import { element, replace } from "./dom.js";
import { count } from "./words.js";

const number = (text) => (text.trim() === "" ? undefined : Number(text));

// Each field: its name in the API, its label and its hint.
const FIELDS = {
  name: { label: "Name", hint: "For people; callers use the id." },
  items: { label: "Items", hint: "One a line: an id, and after a comma a label if you like." },
  epsilon: { label: "Goal, in points", hint: "How far from the best the pair may be. Half of it costs about four times the impressions." },
  delta: { label: "Confidence, in percent", hint: "How likely the verdict must be right." },
  budget: { label: "Budget", hint: "The most impressions that may count; empty: no limit." },
  explore_share: { label: "Exploration, in percent", hint: "Of impressions; the others show the best pair so far." },
  feedback: { label: "Answers tell", hint: "What your ad server reports." },
  model: { label: "Model", hint: "Deterministic: a pair always gets the same answer, a number from 0 to 1." },
  attribution_window_seconds: { label: "Attribution window, in seconds", hint: "How long after it was shown a pair can still be clicked. 0: every outcome is reported." },
  ticket_ttl_seconds: { label: "Ticket lifetime, in seconds", hint: "Without a window: how long to wait for an answer." },
  policy: { label: "Policy", hint: "Empty: the one that fits the model." },
  rank: { label: "Groups of users (rank)", hint: "“auto”, or a number for the paper’s policies that take one." },
  seed: { label: "Seed", hint: "Empty: drawn." },
};

const inputs = {
  name: () => element("input", { maxlength: 200, value: "" }),
  items: () => element("textarea", { required: true, spellcheck: "false", placeholder: "ad-17, Blue shoes\nad-42, Red hat\nad-51, Green scarf" }),
  epsilon: () => element("input", { type: "number", min: 0.01, max: 99, step: "any", value: 5, required: true }),
  delta: () => element("input", { type: "number", min: 1, max: 99.9999, step: "any", value: 95, required: true }),
  budget: () => element("input", { type: "number", min: 1, step: 1 }),
  explore_share: () => element("input", { type: "number", min: 0.01, max: 100, step: "any", value: 100 }),
  feedback: () => select([["pair", "whether the pair was clicked"], ["items", "which items were clicked"]]),
  model: () => select([["stochastic", "stochastic"], ["deterministic", "deterministic"]]),
  attribution_window_seconds: () => element("input", { type: "number", min: 0, step: "any", value: 0 }),
  ticket_ttl_seconds: () => element("input", { type: "number", min: 0.001, step: "any", value: 300 }),
  policy: () => element("input", { maxlength: 100, placeholder: "rplans" }),
  rank: () => element("input", { value: "auto" }),
  seed: () => element("input", { type: "number", min: 0, step: 1 }),
};

const select = (options) => element("select", {}, ...options.map(([value, words]) => element("option", { value }, words)));

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

// A share from a percentage, without errors of binary fractions: 5 / 100 must not become 0.05000000000000001.
const share = (text) => Number((Number(text) / 100).toPrecision(12));

function bodyOf(fields) {
  const value = (name) => fields[name].input.value;
  const rank = value("rank").trim();
  return {
    name: value("name").trim(),
    items: readItems(value("items")),
    epsilon: share(value("epsilon")),
    delta: Number((1 - share(value("delta"))).toPrecision(12)),
    budget: number(value("budget")) ?? null,
    explore_share: share(value("explore_share")),
    feedback: value("feedback"),
    model: value("model"),
    attribution_window_seconds: number(value("attribution_window_seconds")),
    ticket_ttl_seconds: number(value("ticket_ttl_seconds")),
    policy: value("policy").trim() || undefined,
    rank: rank === "" || rank === "auto" ? "auto" : Number(rank),
    seed: number(value("seed")),
  };
}

function fieldOf(name) {
  const { label, hint } = FIELDS[name];
  const input = inputs[name]();
  input.id = `field-${name}`;
  input.name = name;
  input.setAttribute("aria-describedby", `hint-${name} wrong-${name}`);
  const wrong = element("p", { class: "wrong", id: `wrong-${name}` });
  const hintNode = element("p", { class: "hint", id: `hint-${name}` }, hint);
  return { input, wrong, hintNode, node: element("div", { class: "field" }, element("label", { for: input.id }, label), input, hintNode, wrong) };
}

export function open(holder) {
  document.title = "New session · bestpair";
  const fields = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, fieldOf(name)]));
  const wrong = element("p", { class: "notice bad", role: "alert", hidden: true });
  const send = element("button", { class: "main-action" }, "Create session");
  const more = element(
    "details",
    {},
    element("summary", {}, "More settings"),
    element("div", { class: "pair-of-fields" }, ...Object.keys(FIELDS).slice(5).map((name) => fields[name].node)),
  );
  const form = element(
    "form",
    { class: "card form" },
    wrong,
    fields.name.node,
    fields.items.node,
    element("div", { class: "pair-of-fields" }, fields.epsilon.node, fields.delta.node, fields.budget.node),
    more,
    send,
  );
  replace(holder, element("a", { class: "back", href: "#/" }, "← All sessions"), element("div", { class: "page-head" }, element("h1", {}, "New session")), form);

  fields.items.input.addEventListener("input", () => {
    const n = readItems(fields.items.input.value).length;
    fields.items.hintNode.textContent = n < 2 ? FIELDS.items.hint : `${count(n)} items, ${count((n * (n - 1)) / 2)} pairs.`;
  });

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
      const session = await createSession(bodyOf(fields));
      location.hash = `#/sessions/${session.id}`;
    } catch (error) {
      showErrors(error);
    }
    send.disabled = false;
  });
}
