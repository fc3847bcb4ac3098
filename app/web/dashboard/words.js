// Results as words and numbers. Rounding never promises more than is proven: gaps are rounded up, confidence down.

const whole = new Intl.NumberFormat("en");

export const count = (number) => whole.format(number);

// Three significant digits for forecasts: 23,417 becomes 23,400.
export function approximate(number) {
  if (number < 100) return count(Math.ceil(number));
  const step = 10 ** (Math.floor(Math.log10(number)) - 2);
  return count(Math.round(number / step) * step);
}

const trimmed = (number, digits) => String(Number(number.toFixed(digits)));

export function points(share) {
  const value = share * 100;
  const digits = value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 4;
  return trimmed(Math.ceil(value * 10 ** digits - 1e-6) / 10 ** digits, digits);
}

export const inPoints = (share) => `${points(share)} ${points(share) === "1" ? "point" : "points"}`;

// The share that is left if at most `gap` is missing, rounded down.
export const leastPercent = (gap) => `${trimmed(100 - Number(points(gap)), 4)}\u00a0%`;

// A rate with about three significant digits: click rates are often below 1 %.
export function percent(share) {
  const value = share * 100;
  return `${value.toFixed(value >= 9.995 || value === 0 ? 1 : value >= 0.0995 ? 2 : 3)}\u00a0%`;
}

export function confidence(delta) {
  for (const digits of [0, 1, 2, 4]) {
    const value = Math.floor((1 - delta) * 100 * 10 ** digits + 1e-6) / 10 ** digits;
    if (value < 100 && Math.abs(value - (1 - delta) * 100) < 0.05 * delta * 100) return `${value}\u00a0%`;
  }
  return `${trimmed((1 - delta) * 100, 6)}\u00a0%`;
}

export const pairName = (labels) => (labels[0] === labels[1] ? `${labels[0]}, twice` : `${labels[0]} + ${labels[1]}`);

// A duration in the largest fitting unit.
export function duration(seconds) {
  for (const [most, unit, word] of [[90, 1, "s"], [5400, 60, "min"], [129_600, 3600, "h"]]) {
    if (seconds < most) return `${Math.max(1, Math.round(seconds / unit))}\u00a0${word}`;
  }
  return `${count(Math.round(seconds / 86_400))}\u00a0days`;
}

// What a session needs by a forecast: "about 130,000 impressions (70,000 to 260,000): 1.3 days".
export function needed(impressions, days) {
  const { median, low, high } = impressions;
  const time = days && (days.median < 1 ? duration(86_400 * days.median) : `${count(days.median)}\u00a0${days.median === 1 ? "day" : "days"}`);
  return `about ${approximate(median)} impressions (${approximate(low)} to ${approximate(high)})${time ? `: ${time}` : ""}`;
}

const PACE_PLANS = 3; // enough plans for a steady value, few enough to follow a change of traffic

// Recent impressions per second, null if unknown.
export function pace(points, counted, now) {
  const since = points.at(-1 - PACE_PLANS) ?? points[0];
  if (!since || counted <= since.samples) return null;
  const seconds = (now - Date.parse(since.at)) / 1000;
  return seconds > 0 ? (counted - since.samples) / seconds : null;
}

export const when = (time) => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

// The class and the text of the status label: the verdict, or the state of a session that is not running.
export function statusLabel(best, counters) {
  if (best.verdict === "not_yet" && best.state !== "running") return [best.state, best.state === "paused" ? "Paused" : "Stopped"];
  const [trouble] = troubles(best);
  if (best.verdict === "not_yet" && trouble) return ["vague", trouble];
  if (best.verdict === "not_yet" && !best.samples) return counters.issued ? ["not_yet", "Collecting answers"] : ["waiting", "Waiting for traffic"];
  if (goalNote(best)) return ["vague", "Certified, goal too wide"];
  return [best.verdict, CHIPS[best.verdict]];
}

// The note that the goal of a certified session is too wide, if there is one.
const goalNote = (best) => best.verdict === "certified" && best.health.find(({ kind }) => kind === "epsilon_too_large");

const TROUBLES = { only_clicks_so_far: "Only clicks so far", no_answers: "No answers so far" };

// Short notes about the traffic: a mistake of the caller should be visible in the first minute.
export const troubles = (best) => best.health.map(({ kind }) => TROUBLES[kind]).filter(Boolean);

const CHIPS = { certified: "Certified", not_yet: "Searching", exhausted: "Budget spent", suspended: "On hold" };

// The verdict as a sentence, and a second one with the consequences.
export function verdict(best, labels, goal, counters) {
  const pair = pairName(labels);
  const note = goalNote(best);
  if (note) {
    return [
      `${pair} ${goal.reached}, but that says little here.`,
      `${capital(note.problem)}. What to do: ${note.advice}. ${consequence(best)}`,
    ];
  }
  if (best.verdict === "certified") return [certified(best, pair, goal), `Proven after ${count(best.samples)} impressions. ${consequence(best)}`];
  if (best.verdict === "exhausted") {
    return [
      goal.proven(best) === null ? `Budget spent: nothing is proven about ${pair} yet.` : `Budget spent: ${pair} ${goal.proven(best)}, ${confidence(best.delta)} sure.`,
      `${goal.asked} Raise the budget to go on. ${consequence(best)}`,
    ];
  }
  if (best.verdict === "suspended") {
    return ["On hold: what was seen contradicts an assumption.", `Nothing can be certified any more; Health, below, says why and what to do. Best so far: ${pair}.`];
  }
  const soFar = goal.proven(best) === null ? `Best so far: ${pair}; nothing is proven about it yet.` : `Best so far: ${pair} ${goal.proven(best)}.`;
  return [notYet(best, counters), `${best.samples ? `${soFar} ` : firstTraffic(counters)}${consequence(best)}`];
}

// Used until the second plan, which is the first one with counted impressions.
export const nothingPlanned = ({ counted }) => (counted ? "the first impressions are being counted" : "no impression has been counted");

// Before the first result: the traffic, so that the first minute shows whether the connection works.
function firstTraffic({ issued, answered }) {
  if (!issued) return "";
  const pairs = issued === 1 ? "1 pair has been handed out" : `${count(issued)} pairs have been handed out`;
  return `${pairs}, ${answered ? count(answered) : "none"} answered. An answer counts once all earlier impressions of its pair are answered or given up. `;
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

const certified = (best, pair, goal) => `${pair} ${goal.reached}${goal.exact ? "" : `, ${confidence(best.delta)} sure`}.`;

function notYet(best, counters) {
  if (!best.samples) return `Not yet: ${nothingPlanned(counters)}.`;
  const pairs = best.contenders === 1 ? "1 other pair" : `${count(best.contenders)} pairs`;
  const left = best.forecast_samples === null ? "too early to say how many impressions to go" : `about ${approximate(best.forecast_samples)} impressions to go`;
  return `Not yet: ${pairs} still in the race, ${left}.`;
}

function consequence(best) {
  if (best.state === "paused") return "Paused: every caller gets the best pair so far, and nothing is learnt.";
  if (best.state === "stopped") return "Stopped for good: no more pairs are handed out.";
  return best.verdict === "certified" || best.verdict === "exhausted" ? "Every caller now gets this pair." : "";
}

// The progress from no knowledge (a gap of 1) to the goal, on the log scale of the chart.
export function progress(best, goal) {
  const gap = goal.gapOf(best) ?? 1;
  if (best.verdict === "certified" || gap <= goal.limit) return 1;
  return Math.max(0, Math.min(0.99, Math.log(Math.max(gap, 1e-9)) / Math.log(goal.limit)));
}

const ASSUMED = {
  "independent-draws": "each impression goes to a user drawn independently",
  "loss-independent-of-outcome": "whether an answer is lost does not depend on its outcome or on later ones",
  mixture: "within a group of users, a click on one item says nothing about the other",
  "slots-independent": "a click on one slot does not hide the other",
};

export function assumption(name) {
  if (name.startsWith("rank<=")) return `there are at most ${name.slice(6)} groups of users`;
  return ASSUMED[name] || name.replaceAll("-", " ");
}
