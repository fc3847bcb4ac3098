// One session: its panels, and what each of them is told as the session goes on.

import { getEstimates, getHistory, getSession } from "./api.js";
import { actions } from "./actions.js";
import { connectPanel } from "./connect_panel.js";
import { element, replace, say } from "./dom.js";
import { gapPanel } from "./gap_chart.js";
import { heatPanel } from "./heat_map.js";
import { healthPanel, settingsPanel } from "./health_panel.js";
import { impressionsPanel } from "./impressions_panel.js";
import { follow } from "./live.js";
import { bestPanel, racePanel } from "./pair_panels.js";
import { verdictPanel } from "./verdict_panel.js";
import { glance } from "./words.js";

const MAP_MILLISECONDS = 15_000; // between plans the heat map is looked at again so often

const MODES = { live: "Live", polling: "Live, by polling", away: "The service cannot be reached; trying again" };

export function open(holder, id) {
  const page = { over: false, ends: [] };
  replace(holder, element("p", { class: "soft", role: "status" }, "Loading…"));
  getSession(id).then(
    (session) => page.over || begin(page, holder, session),
    (error) => page.over || replace(holder, element("p", { class: "notice bad", role: "alert" }, error.message), back()),
  );
  return () => {
    page.over = true;
    page.ends.forEach((end) => end());
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
    tellBest(changed.best_pair);
    following.askAnew();
  });
  replace(
    holder,
    back(),
    element("div", { class: "page-head" }, element("h1", {}, title), mode, controls.node),
    panels.verdict.node,
    panels.connect.node,
    grid,
  );
  page.ends.push(panels.gap.end, panels.heat.end);

  let best = session.best_pair;
  let counters = session.counters;
  const points = [];
  let map = { tag: null, asked: 0, busy: false };

  function tellBest(told) {
    const newPlan = told.plan_version !== best.plan_version;
    best = told;
    panels.best.show(best);
    panels.race.lead(best);
    panels.health.show(best);
    controls.show(best);
    refreshMap(newPlan || !map.asked);
    tellCounters(counters);
  }

  function tellCounters(told) {
    counters = told;
    panels.verdict.show(best, counters, points);
    panels.connect.show(counters);
    grid.classList.toggle("untouched", !counters.issued); // most panels have nothing to say yet
    document.title = `${glance(best, counters)[1]}: ${title} · bestpair`;
    panels.impressions.show(counters, points);
    if ((points.at(-1)?.plan_version ?? 0) < best.plan_version) refreshHistory();
    refreshMap(false);
  }

  let asking = false;
  async function refreshHistory() {
    if (asking) return;
    asking = true;
    try {
      points.push(...(await getHistory(session.id, points.at(-1)?.plan_version ?? 0)));
      panels.gap.show(points, best);
      panels.impressions.show(counters, points);
      panels.verdict.show(best, counters, points);
    } catch {
      // the next plan, or the next poll, asks again
    }
    asking = false;
  }

  async function refreshMap(atOnce) {
    const due = atOnce || (Date.now() - map.asked > MAP_MILLISECONDS && counters.counted > (map.counted ?? -1));
    if (!due) return;
    if (map.busy) {
      map.again = map.again || atOnce;
      return;
    }
    map = { ...map, busy: true, asked: Date.now(), counted: counters.counted, again: false };
    const size = panels.heat.size();
    try {
      const estimates = await getEstimates(session.id, size, size === map.size ? map.tag : null);
      if (estimates && !page.over) {
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
    if (map.again && !page.over) refreshMap(true);
  }

  tellBest(best);
  const following = follow(session.id, {
    best: tellBest,
    counters: tellCounters,
    mode: (now) => {
      mode.className = `live ${now === "away" ? "away" : "on"}`;
      say(mode, MODES[now]);
    },
    gone: () => replace(holder, element("p", { class: "notice", role: "alert" }, "This session has been deleted."), back()),
  });
  page.ends.push(following.stop);
}
