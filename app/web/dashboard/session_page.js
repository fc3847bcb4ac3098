// The page of a session: its panels, and their updates.

import { getEstimates, getHistory, getSession } from "./api.js";
import { actions } from "./actions.js";
import { connectPanel } from "./connect_panel.js";
import { element, replace, setText } from "./dom.js";
import { gapPanel } from "./gap_chart.js";
import { heatPanel } from "./heat_map.js";
import { healthPanel } from "./health_panel.js";
import { impressionsPanel } from "./impressions_panel.js";
import { follow } from "./live.js";
import { bestPanel, racePanel } from "./pair_panels.js";
import { settingsPanel } from "./settings.js";
import { verdictPanel } from "./verdict_panel.js";
import { statusLabel } from "./words.js";

const MAP_MILLISECONDS = 15_000; // interval of updates of the heat map between plans

const MODES = { live: "Live", polling: "Live, by polling", away: "The service cannot be reached; trying again" };

export function open(holder, id) {
  const page = { closed: false, onClose: [] };
  replace(holder, element("p", { class: "soft", role: "status" }, "Loading…"));
  getSession(id).then(
    (session) => page.closed || begin(page, holder, session),
    (error) => page.closed || replace(holder, element("p", { class: "notice bad", role: "alert" }, error.message), back()),
  );
  return () => {
    page.closed = true;
    page.onClose.forEach((end) => end());
  };
}

const back = () => element("a", { class: "back", href: "#/" }, "← All sessions");

function begin(page, holder, session) {
  const title = session.name || "Without a name";
  const panels = {
    verdict: verdictPanel(session),
    best: bestPanel(session),
    gap: gapPanel(session),
    race: racePanel(session),
    heat: heatPanel(session, () => refreshMap(true)),
    impressions: impressionsPanel(session),
    health: healthPanel(),
    connect: connectPanel(session),
  };
  const grid = element(
    "div",
    { class: "panels" },
    ...[panels.best, panels.gap, panels.race, panels.impressions, panels.heat, panels.health].map((panel) => panel.node),
    settingsPanel(session),
  );
  const mode = element("span", { class: "live", role: "status" }, "Connecting…");
  const controls = actions(session, (changed) => {
    showBest(changed.best_pair);
    following.reconnect();
  });
  replace(
    holder,
    back(),
    element("div", { class: "page-head" }, element("h1", {}, title), mode, controls.node),
    session.notes && element("p", { class: "notes" }, session.notes),
    panels.verdict.node,
    panels.connect.node,
    grid,
  );
  page.onClose.push(panels.gap.end, panels.heat.end);

  let best = session.best_pair;
  let counters = session.counters;
  const points = [];
  let map = { tag: null, loadedAt: 0, busy: false };

  function showBest(received) {
    const newPlan = received.plan_version !== best.plan_version;
    best = received;
    panels.best.show(best);
    panels.race.lead(best);
    panels.health.show(best);
    controls.show(best);
    refreshMap(newPlan || !map.loadedAt);
    showCounters(counters);
  }

  function showCounters(received) {
    counters = received;
    panels.verdict.show(best, counters, points);
    panels.connect.show(counters);
    grid.classList.toggle("untouched", !counters.issued); // most panels are empty
    document.title = `${statusLabel(best, counters)[1]}: ${title} · bestpair`;
    panels.impressions.show(counters, points);
    if ((points.at(-1)?.plan_version ?? 0) < best.plan_version) refreshHistory();
    refreshMap(false);
  }

  let loadingHistory = false;
  async function refreshHistory() {
    if (loadingHistory) return;
    loadingHistory = true;
    try {
      points.push(...(await getHistory(session.id, points.at(-1)?.plan_version ?? 0)));
      panels.gap.show(points, best);
      panels.impressions.show(counters, points);
      panels.verdict.show(best, counters, points);
    } catch {
      // the next plan or poll loads it
    }
    loadingHistory = false;
  }

  async function refreshMap(now) {
    const due = now || (Date.now() - map.loadedAt > MAP_MILLISECONDS && counters.counted > (map.counted ?? -1));
    if (!due) return;
    if (map.busy) {
      map.again = map.again || now;
      return;
    }
    map = { ...map, busy: true, loadedAt: Date.now(), counted: counters.counted, again: false };
    const size = panels.heat.size();
    try {
      const estimates = await getEstimates(session.id, size, size === map.size ? map.tag : null);
      if (estimates && !page.closed) {
        map.tag = estimates.tag;
        map.size = size;
        panels.heat.show(estimates, best);
        panels.race.show(estimates, best);
        panels.best.compare(estimates, best);
      }
    } catch {
      map.tag = null;
    }
    map.busy = false;
    if (map.again && !page.closed) refreshMap(true);
  }

  showBest(best);
  const following = follow(session.id, {
    best: showBest,
    counters: showCounters,
    mode: (current) => {
      mode.className = `live ${current === "away" ? "away" : "on"}`;
      setText(mode, MODES[current]);
    },
    gone: () => replace(holder, element("p", { class: "notice", role: "alert" }, "This session has been deleted."), back()),
  });
  page.onClose.push(following.stop);
}
