// The list of sessions, newest first, with how far each is.

import { listSessions, mayChange } from "./api.js";
import { element, replace, say } from "./dom.js";
import { both, capital, count, gapInWords, glance, inPoints, nothingPlanned, progress, roughly, when } from "./words.js";

const REFRESH_MILLISECONDS = 3_000;

export function open(holder) {
  document.title = "Sessions · bestpair";
  const list = element("ul", { class: "sessions", role: "list" });
  const status = element("p", { class: "soft", role: "status" }, "Loading…");
  const summary = element("span", { class: "soft small" });
  const more = element("button", { type: "button", hidden: true }, "Older sessions");
  replace(
    holder,
    element(
      "div",
      { class: "page-head" },
      element("h1", {}, "Sessions"),
      summary,
      element("div", { class: "actions" }, element("a", { class: "button main-action", href: "#/new" }, "New session")),
    ),
    status,
    list,
    more,
  );

  const older = []; // pages after the first, as they were when asked for
  let shown = "";
  let next = null;

  async function refresh() {
    if (document.hidden) return;
    try {
      const page = await listSessions();
      if (!older.length) next = page.next_cursor;
      const known = new Set(page.sessions.map((session) => session.id));
      draw([...page.sessions, ...older.filter((session) => !known.has(session.id))]);
      say(status, "");
    } catch (error) {
      say(status, error.status === 401 ? error.message : `The service cannot be reached: ${error.message}. Trying again…`);
    }
  }

  function draw(sessions) {
    const now = JSON.stringify(sessions);
    if (now === shown) return;
    shown = now;
    const focused = document.activeElement?.getAttribute("href");
    replace(list, ...sessions.map(row));
    if (focused) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
    more.hidden = !next;
    empty.hidden = sessions.length > 0;
    say(summary, summed(sessions));
  }

  const empty = nothingYet();
  holder.append(empty);
  more.addEventListener("click", async () => {
    const page = await listSessions(next);
    older.push(...page.sessions);
    next = page.next_cursor;
    shown = "";
    refresh();
  });

  mayChange().then(
    ({ create }) => {
      for (const link of holder.querySelectorAll('a[href="#/new"]')) link.hidden = !create;
      if (!create) holder.querySelector(".actions").append(element("p", { class: "soft small" }, "This key may not create sessions."));
    },
    () => {},
  );
  refresh();
  const timer = setInterval(refresh, REFRESH_MILLISECONDS);
  document.addEventListener("visibilitychange", refresh);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", refresh);
  };
}

function row(session) {
  const best = session.best_pair;
  const [kind, words] = glance(best, session.counters);
  const fill = element("div", { class: "fill" });
  fill.style.width = `${100 * progress(best)}%`;
  return element(
    "li",
    {},
    element(
      "a",
      { class: "card session", href: `#/sessions/${session.id}` },
      element(
        "div",
        {},
        element(
          "div",
          { class: "title" },
          session.name || "Without a name",
          element("span", { class: `chip ${kind}` }, words),
        ),
        element("div", { class: "soft" }, best.samples ? both(session.best_labels) : capital(nothingPlanned(session.counters))),
      ),
      element(
        "div",
        {},
        element("div", { class: `meter ${kind === "vague" ? kind : best.verdict}` }, fill),
        element("div", { class: "meter-ends" }, gapInWords(best.gap), element("span", {}, left(best))),
      ),
      element(
        "div",
        { class: "figures small numbers" },
        element("div", {}, arrived(best, session.counters)),
        element("div", { class: "soft" }, `${count(session.n_items)} items, ${when(session.created_at)}`),
      ),
    ),
  );
}

// Impressions that count; before there are any, what arrives.
function arrived(best, { counted, issued, answered }) {
  return best.samples || !issued ? `${count(counted)} impressions` : `${count(issued)} handed out, ${count(answered)} answered`;
}

// The right end of the bar: what is missing, or else what was asked for.
function left(best) {
  const goal = `goal ${inPoints(best.epsilon)}`;
  return best.verdict === "not_yet" && best.forecast_samples !== null ? `${goal}, about ${roughly(best.forecast_samples)} to go` : goal;
}

// How many sessions are in which condition.
function summed(sessions) {
  const found = new Map();
  for (const session of sessions) {
    const [, words] = glance(session.best_pair, session.counters);
    found.set(words, (found.get(words) || 0) + 1);
  }
  return [...found].map(([words, n]) => `${count(n)} ${words.toLowerCase()}`).join(" · ");
}

function nothingYet() {
  return element(
    "div",
    { class: "card empty", hidden: true },
    element("h2", {}, "No sessions yet"),
    element("p", { class: "soft" }, "Create one with your items, then let your ad server ask for pairs and report clicks."),
    element("p", { class: "soft" }, "Or watch a simulated one: ", element("code", {}, "make demo")),
    element("p", {}, element("a", { class: "button main-action", href: "#/new" }, "New session")),
  );
}
