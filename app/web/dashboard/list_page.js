// The list of sessions, newest first, with the progress of each.

import { listSessions, mayChange } from "./api.js";
import { element, replace, setText } from "./dom.js";
import { goalOf } from "./goal.js";
import { pairName, capital, count, statusLabel, nothingPlanned, progress, approximate, when } from "./words.js";

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

  const older = []; // sessions of further pages, as they were when loaded
  let shown = "";
  let next = null;

  async function refresh() {
    if (document.hidden) return;
    try {
      const page = await listSessions();
      if (!older.length) next = page.next_cursor;
      const known = new Set(page.sessions.map((session) => session.id));
      draw([...page.sessions, ...older.filter((session) => !known.has(session.id))]);
      setText(status, "");
    } catch (error) {
      setText(status, error.status === 401 ? error.message : `The service cannot be reached: ${error.message}. Trying again…`);
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
    setText(summary, summaryOf(sessions));
  }

  const empty = emptyList();
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
  const goal = goalOf(session);
  const [kind, words] = statusLabel(best, session.counters);
  const fill = element("div", { class: "fill" });
  fill.style.width = `${100 * progress(best, goal)}%`;
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
        session.notes && element("div", { class: "notes-preview small" }, session.notes),
        element("div", { class: "soft" }, best.samples ? pairName(session.best_labels) : capital(nothingPlanned(session.counters))),
      ),
      element(
        "div",
        {},
        element("div", { class: `meter ${kind === "vague" ? kind : best.verdict}` }, fill),
        element("div", { class: "meter-ends" }, element("span", {}, goal.shortGap(best)), element("span", {}, goalText(goal, best))),
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

// Impressions that count; before there are any, those handed out and answered.
function arrived(best, { counted, issued, answered }) {
  return best.samples || !issued ? `${count(counted)} impressions` : `${count(issued)} handed out, ${count(answered)} answered`;
}

// The text at the right end of the bar: the goal, and the forecast if there is one.
function goalText(goal, best) {
  return best.verdict === "not_yet" && best.forecast_samples !== null ? `${goal.short}, about ${approximate(best.forecast_samples)} to go` : goal.short;
}

// The number of sessions with each status.
function summaryOf(sessions) {
  const found = new Map();
  for (const session of sessions) {
    const [, words] = statusLabel(session.best_pair, session.counters);
    found.set(words, (found.get(words) || 0) + 1);
  }
  return [...found].map(([words, n]) => `${count(n)} ${words.toLowerCase()}`).join(" · ");
}

function emptyList() {
  return element(
    "div",
    { class: "card empty", hidden: true },
    element("h2", {}, "No sessions yet"),
    element("p", { class: "soft" }, "Create one with your items, then let your ad server ask for pairs and report clicks."),
    element("p", { class: "soft" }, "Or watch a simulated one: ", element("code", {}, "make demo")),
    element("p", {}, element("a", { class: "button main-action", href: "#/new" }, "New session")),
  );
}
