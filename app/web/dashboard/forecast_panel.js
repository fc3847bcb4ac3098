// How long a session will take, before it is created: part of the form, but not of the session. The service answers from a
// model, for both kinds of feedback.

import { getForecast } from "./api.js";
import { element, replace } from "./dom.js";
import { field } from "./settings.js";
import { PERCENT } from "./units.js";
import { capital, needed } from "./words.js";

const PAUSE_MILLISECONDS = 250; // after the last key
const EMPTY = "Enter the items and a click rate to see a forecast.";
const IF = { items: "If feedback names the clicked items", pair: "If feedback does not name the clicked items" };

// `read` returns the settings of the form; `update` must be called when they change.
export function forecastPanel(read) {
  const number = (most) => element("input", { type: "number", min: 0, max: most, step: "any" });
  const rate = field("click_rate", "Expected click rate of one item", "In percent, on average; a guess is enough.", number(100));
  const traffic = field("traffic", "Impressions a day", "Those that this session will get.", number(1e15));
  const lines = element("div", { role: "status" }, EMPTY);
  const node = element(
    "section",
    { class: "forecast", "aria-label": "Forecast" },
    element("h2", {}, "How long will it take?"),
    element("div", { class: "pair-of-fields" }, rate.node, traffic.node),
    lines,
  );
  let asked = 0; // the number of questions
  let last = "";
  let timer = null;

  function query() {
    const { items, feedback, relative_epsilon, epsilon, delta } = read();
    const [clicks, perDay] = [rate, traffic].map(({ input }) => Number(input.value));
    if (items.length < 2 || !(clicks > 0)) return null;
    return { items: items.length, click_rate: PERCENT.sent(clicks), feedback: feedback ?? "items", relative_epsilon, epsilon, delta, traffic: perDay > 0 ? perDay : undefined };
  }

  async function ask() {
    const question = query();
    const chosen = read().feedback !== undefined;
    if (last === (last = JSON.stringify([question, chosen]))) return; // nothing that matters has changed
    const number = (asked += 1); // a later question makes the answer out of date
    if (!question) {
      replace(lines, EMPTY);
      return;
    }
    try {
      const forecast = await getForecast(question);
      if (number === asked) replace(lines, answers(forecast, chosen));
    } catch (error) {
      if (number === asked) replace(lines, element("p", { class: "soft" }, `No forecast: ${[error, ...(error.errors ?? [])].map(({ message }) => message).join("; ")}`));
    }
  }

  function update() {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MILLISECONDS);
  }

  return { node, update };
}

// The forecast for the chosen kind of feedback comes first, then that for the other one.
function answers({ feedback, impressions, days, other_feedback: other, notes }, chosen) {
  const first = needed(impressions, days);
  return [
    element("p", { class: "answer" }, chosen ? `${capital(first)}.` : `${IF[feedback]}: ${first}.`),
    element("p", { class: "soft small" }, `${IF[other.feedback]}: ${needed(other.impressions, other.days)}.`),
    ...notes.map((note) => element("p", { class: "soft small" }, `${capital(note)}.`)),
  ];
}
