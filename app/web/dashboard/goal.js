// The goal of a session: its words, and the gap that is compared with it. There are two kinds, and only this module
// tells them apart:
//   relative (setting relative_epsilon): the pair earns at least a share of what the best pair earns
//   absolute (setting epsilon): the pair is within some points of the best pair; a point is 1 click in 100 impressions
// Each kind has its own gap in `best-pair` and in the history. The goal is reached when the gap is at most the setting.

import { PERCENT, ONE_MINUS_PERCENT } from "./units.js";
import { inPoints, leastPercent, points } from "./words.js";

const RELATIVE = {
  setting: "relative_epsilon",
  gap: "relative_gap",
  promise: (gap) => `earns at least ${leastPercent(gap)} of what the best pair earns`,
  words: (limit) => `at least ${leastPercent(limit)} of what the best pair earns`,
  asked: (limit) => `At least ${leastPercent(limit)} was asked for.`,
  shortGap: (gap) => `at least ${leastPercent(gap)} of the best`,
  shortGoal: (limit) => `goal ${leastPercent(limit)}`,
  amount: (gap) => `${points(gap)}\u00a0%`,
  axis: "gap, in % of what the best pair earns",
  line: (limit) => `goal: at least ${leastPercent(limit)}`, // short: it must not reach the last points on a phone
  column: "Gap, of the best",
  // The row of the form: text around the number, the number's name and unit, and the value at the start.
  form: {
    before: "at least",
    after: "% of what the best pair earns",
    label: "Percent of what the best pair earns",
    hint: "Fits any click rate: you need not know it before the start.",
    unit: ONE_MINUS_PERCENT,
    start: 0.1,
  },
};

const ABSOLUTE = {
  setting: "epsilon",
  gap: "gap",
  promise: (gap) => `is within ${inPoints(gap)} of the best`,
  words: (limit) => `within ${inPoints(limit)} of the best`,
  asked: (limit) => `${inPoints(limit)} were asked for.`,
  shortGap: (gap) => `gap ${inPoints(gap)}`,
  shortGoal: (limit) => `goal ${inPoints(limit)}`,
  amount: inPoints,
  axis: "gap, in points",
  line: (limit) => `goal ${inPoints(limit)}`,
  column: "Gap, in points",
  form: {
    before: "within",
    after: "points of the best",
    label: "Points from the best",
    hint: "A point is one click in 100 impressions. Must be well below what the best pair earns.",
    unit: PERCENT,
    start: 0.05,
  },
};

// The default of the service comes first.
export const KINDS = [RELATIVE, ABSOLUTE];

const UNKNOWN = "–"; // reports that older versions stored have no relative gap
const provesNothing = (gap) => gap === null || Number(points(gap)) >= 100;

// The goal of a session, or of anything else with its settings `epsilon`, `relative_epsilon` and `model`.
export function goalOf(settings) {
  const kind = KINDS.find(({ setting }) => typeof settings[setting] === "number");
  const [other] = KINDS.filter((each) => each !== kind);
  const limit = settings[kind.setting];
  const exact = settings.model === "deterministic";
  const gapOf = (report, { gap } = kind) => report[gap] ?? null;
  return {
    limit,
    exact, // nothing is random, so there is no confidence to mention
    gapOf, // null if the report has none
    words: exact ? "the exact answer" : kind.words(limit),
    short: exact ? "goal the exact answer" : kind.shortGoal(limit),
    reached: exact ? "is the best pair" : kind.promise(limit),
    asked: exact ? "The exact answer was asked for." : kind.asked(limit),
    // What a report proves about its pair, null if nothing.
    proven: (report) => (provesNothing(gapOf(report)) ? null : kind.promise(gapOf(report))),
    shortGap: (report) => (provesNothing(gapOf(report)) ? "nothing proven yet" : kind.shortGap(gapOf(report))),
    // The gap of the other kind of goal, null if it says nothing.
    otherGap: (report) => (provesNothing(gapOf(report)) || provesNothing(gapOf(report, other)) ? null : other.shortGap(gapOf(report, other))),
    amount: (gap) => (gap === null ? UNKNOWN : kind.amount(gap)),
    axis: kind.axis,
    line: kind.line(limit),
    // Both gaps of a report, the goal's own first: columns of a table and their values.
    columns: [kind, other].map(({ column }) => column),
    amounts: (report) => [kind, other].map((each) => (gapOf(report, each) === null ? UNKNOWN : each.amount(gapOf(report, each)))),
  };
}
