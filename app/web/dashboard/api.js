// Calls of the API. Addresses are relative, so that the page works behind a path of a proxy.

const KEY = "bestpair-key";

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the service answered ${status}`);
    this.status = status;
    this.type = body.type || "";
    this.errors = body.errors || [];
  }
}

// An API key, if the service asks for one: kept for this tab only.
export function useKey(key) {
  sessionStorage.setItem(KEY, key.trim());
}

export function hasKey() {
  return Boolean(sessionStorage.getItem(KEY));
}

export async function call(path, { method = "GET", body, headers = {}, signal } = {}) {
  const key = sessionStorage.getItem(KEY);
  const sent = { ...headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers: sent, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.ok || answer.status === 304) return answer;
  const told = await answer.json().catch(() => ({}));
  // An answer to a call that left before the key was entered says nothing about the key of now.
  if (answer.status === 401 && sessionStorage.getItem(KEY) === key) document.dispatchEvent(new Event("keyneeded"));
  throw new Problem(answer.status, told);
}

async function read(path, options) {
  return (await call(path, options)).json();
}

const at = (id) => `v1/sessions/${encodeURIComponent(id)}`;

// What this caller may do, asked for once for each key; a service that cannot tell is taken to allow everything.
let known = { key: undefined, may: null };
export async function mayChange() {
  const key = sessionStorage.getItem(KEY);
  if (known.may === null || known.key !== key) {
    const { scopes, session } = await read("v1/access");
    known = { key, may: { change: scopes.includes("admin"), create: scopes.includes("admin") && session === null } };
  }
  return known.may;
}

export const listSessions = (cursor) => read(`v1/sessions?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
export const getSession = (id) => read(at(id));
export const createSession = (body) => read("v1/sessions", { method: "POST", body });
export const changeSession = (id, body) => read(at(id), { method: "PATCH", body });
export const getBestPair = (id) => read(`${at(id)}/best-pair`);
export const openEvents = (id, headers, signal) => call(`${at(id)}/events`, { headers, signal });
export const exportPath = (id, format) => `${at(id)}/export?format=${format}`;
export const certificatePath = (id) => `${at(id)}/certificate`;

export async function getHistory(id, after) {
  const points = [];
  for (let more = true; more; ) {
    const page = await read(`${at(id)}/history?after=${points.length ? points.at(-1).plan_version : after}`);
    points.push(...page.points);
    more = page.more && page.points.length > 0;
  }
  return points;
}

// The heat map with its tag; null if the tag is still the right one.
export async function getEstimates(id, top, tag) {
  const answer = await call(`${at(id)}/estimates?top=${top}`, { headers: tag ? { "If-None-Match": tag } : {} });
  if (answer.status === 304) return null;
  return { tag: answer.headers.get("ETag"), ...(await answer.json()) };
}

// A link cannot send a key: with one, the file is fetched first and handed to the browser then.
export async function download(path, name) {
  const file = URL.createObjectURL(await (await call(path)).blob());
  const link = document.createElement("a");
  link.href = file;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}
