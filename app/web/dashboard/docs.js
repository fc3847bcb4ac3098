// Renders openapi.json as a readable page. No library, no other host; text is never parsed as markup.
"use strict";

const METHODS = ["get", "post", "patch", "delete"];

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function nameOf(reference) {
  return reference.split("/").pop();
}

// The type of a schema in a few words.
function kind(schema) {
  if (!schema) return "anything";
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(kind).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return schema.prefixItems ? `[${schema.prefixItems.map(kind).join(", ")}]` : `list of ${kind(schema.items)}`;
  return schema.type || "anything";
}

function limits(schema) {
  const names = { minimum: "≥", exclusiveMinimum: ">", maximum: "≤", exclusiveMaximum: "<", minLength: "at least", maxLength: "at most", minItems: "at least", maxItems: "at most" };
  const units = { minLength: " characters", maxLength: " characters", minItems: " entries", maxItems: " entries" };
  return [schema, ...(schema.anyOf || [])]
    .flatMap((part) => Object.keys(names).filter((key) => part[key] !== undefined).map((key) => `${names[key]} ${part[key]}${units[key] || ""}`))
    .join(", ");
}

function table(headings, rows) {
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  return element("div", { class: "wide" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

function fields(schema) {
  const required = new Set(schema.required || []);
  const rows = Object.entries(schema.properties || {}).map(([name, field]) => {
    const standard = field.default === undefined ? (required.has(name) ? "required" : "") : JSON.stringify(field.default);
    return [element("code", {}, name), kind(field), standard, [limits(field), field.description].filter(Boolean).join(". ")];
  });
  return rows.length ? table(["field", "type", "default", "notes"], rows) : element("p", {}, "No fields.");
}

// The schema and all schemas that it refers to, each as a table.
function shapes(schema, all) {
  const seen = new Set();
  const parts = [];
  const visit = (each) => {
    if (!each || typeof each !== "object") return;
    if (each.$ref && !seen.has(each.$ref)) {
      seen.add(each.$ref);
      const target = all[nameOf(each.$ref)] || {};
      parts.push(element("p", {}, element("strong", {}, nameOf(each.$ref)), target.description ? `: ${target.description}` : ""), fields(target));
      Object.values(target.properties || {}).forEach(visit);
    }
    [each.items, ...(each.anyOf || []), ...(each.prefixItems || [])].forEach(visit);
  };
  visit(schema);
  return parts;
}

function content(title, described, all) {
  if (!described || !described.content) return [];
  return Object.entries(described.content).flatMap(([media, { schema }]) => [
    element("h4", {}, `${title}: ${schema && Object.keys(schema).length ? kind(schema) : media}`), ...shapes(schema, all),
  ]);
}

function problems(responses) {
  const rows = Object.entries(responses).filter(([status]) => Number(status) >= 400).flatMap(([status, response]) =>
    Object.values((response.content["application/problem+json"] || {}).examples || {}).map(({ value }) => [
      status, element("a", { href: value.type.replace(/^\//, "") }, element("code", {}, value.type)), value.title,
    ]));
  return rows.length ? [element("h4", {}, "Problems"), table(["status", "type", "meaning"], rows)] : [];
}

function call(path, method, operation, all) {
  const parameters = (operation.parameters || []).map((parameter) => [
    element("code", {}, parameter.name), parameter.in, kind(parameter.schema), [limits(parameter.schema), parameter.description].filter(Boolean).join(". "),
  ]);
  const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
  return element("details", { class: "call", id: operation.operationId },
    element("summary", {}, element("span", { class: "method" }, method.toUpperCase()), element("code", {}, path), ` ${operation.description || ""}`),
    ...(parameters.length ? [element("h4", {}, "Parameters"), table(["name", "in", "type", "notes"], parameters)] : []),
    ...content("Body", operation.requestBody, all),
    ...good.flatMap(([status, response]) => content(`Answer ${status}`, response, all)),
    ...problems(operation.responses));
}

function show(api) {
  document.getElementById("version").textContent = api.info.version;
  document.getElementById("description").textContent = api.info.description;
  const all = api.components.schemas;
  const groups = new Map();
  const list = element("ul", {});
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => operations[name])) {
      const operation = operations[method];
      const group = (operation.tags || ["other"])[0];
      if (!groups.has(group)) groups.set(group, element("section", {}, element("h2", {}, group)));
      groups.get(group).append(call(path, method, operation, all));
      list.append(element("li", {}, element("a", { href: `#${operation.operationId}` }, element("code", {}, `${method.toUpperCase()} ${path}`))));
    }
  }
  document.getElementById("contents").replaceChildren(list);
  document.getElementById("calls").replaceChildren(...groups.values());
  const open = () => { const target = document.getElementById(location.hash.slice(1)); if (target) { target.open = true; target.scrollIntoView(); } };
  addEventListener("hashchange", open);
  open();
}

fetch("openapi.json")
  .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`))))
  .then(show)
  .catch((error) => { document.getElementById("calls").textContent = `The description could not be loaded (${error.message}).`; });
