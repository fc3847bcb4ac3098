// Calls of the API. URLs are relative, so that the page works below a path of a proxy.

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
  const response = await fetch(path, { method, headers: sent, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  if (response.ok || response.status === 304) return response;
  const problem = await response.json().catch(() => ({}));
  // A call that was sent before the key was entered says nothing about the current key.
  if (response.status === 401 && sessionStorage.getItem(KEY) === key) document.dispatchEvent(new Event("keyneeded"));
  throw new Problem(response.status, problem);
}

async function read(path, options) {
  return (await call(path, options)).json();
}

const at = (id) => `v1/sessions/${encodeURIComponent(id)}`;

// The rights of this caller, requested once for each key.
let known = { key: undefined, may: null };
export async function mayChange() {
  const key = sessionStorage.getItem(KEY);
  if (known.may === null || known.key !== key) {
    const { scopes, session } = await read("v1/access");
    known = { key, may: { change: scopes.includes("admin"), create: scopes.includes("admin") && session === null } };
  }
  return known.may;
}

// The settings of a new session by name, each as a JSON schema.
export const getSettings = async () => (await read("openapi.json")).components.schemas.SessionCreate.properties;
export const getForecast = (query) => read(`v1/forecast?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined))}`);
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

// The heat map with its ETag; null if the given ETag is still current.
export async function getEstimates(id, top, tag) {
  const response = await call(`${at(id)}/estimates?top=${top}`, { headers: tag ? { "If-None-Match": tag } : {} });
  if (response.status === 304) return null;
  return { tag: response.headers.get("ETag"), ...(await response.json()) };
}

// A link cannot send a key, so with a key the script fetches the file and passes it to the browser.
export async function download(path, name) {
  const file = URL.createObjectURL(await (await call(path)).blob());
  const link = document.createElement("a");
  link.href = file;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}
