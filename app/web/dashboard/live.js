// Follows a session: by server-sent events while they come, by polling while they do not. Read with fetch, which can
// send a key; a hidden page follows nothing, since browsers allow six connections to a host.

import { getSession, openEvents, Problem } from "./api.js";

const POLL_MILLISECONDS = 3_000;
const STREAM_AGAIN_MILLISECONDS = 20_000;
const SILENCE_MILLISECONDS = 40_000; // the service gives a sign of life every 15 s

// Splits a stream of text into events: { event, id, data }.
export function reader(tell) {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const found = {};
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) found[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
      }
      if (found.data) tell(found);
    }
  };
}

// Calls on.best, on.counters, on.mode ("live", "polling", "away") and on.gone; returns how to stop, and how to ask anew:
// a page that has changed something itself knows more than its stream, which would not tell of a change back.
export function follow(id, on) {
  let lastId = "";
  let over = false;
  let anew = false;
  let attempt = new AbortController();

  function take({ event, id: tag, data }) {
    if (tag) lastId = tag;
    if (event === "best-pair") on.best(JSON.parse(data));
    if (event === "counters") on.counters(JSON.parse(data));
  }

  async function stream() {
    attempt = new AbortController();
    let silence = setTimeout(() => attempt.abort(), SILENCE_MILLISECONDS);
    try {
      const answer = await openEvents(id, lastId ? { "Last-Event-ID": lastId } : {}, attempt.signal);
      on.mode("live");
      const feed = reader(take);
      const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await text.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENCE_MILLISECONDS);
        feed(value);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async function poll() {
    const session = await getSession(id);
    on.mode("polling");
    on.best(session.best_pair);
    on.counters(session.counters);
  }

  async function run() {
    while (!over) {
      anew = false;
      try {
        if (document.hidden) await visible();
        else await stream();
      } catch (error) {
        if (isGone(error)) return end();
      }
      for (const until = Date.now() + STREAM_AGAIN_MILLISECONDS; !over && !anew && !document.hidden && Date.now() < until; ) {
        try {
          await poll();
        } catch (error) {
          if (isGone(error)) return end();
          on.mode("away");
        }
        await wait(POLL_MILLISECONDS);
      }
    }
  }

  function end() {
    over = true;
    on.gone();
  }

  const onVisibility = () => document.hidden && attempt.abort();
  document.addEventListener("visibilitychange", onVisibility);
  run();
  return {
    stop: () => {
      over = true;
      attempt.abort();
      document.removeEventListener("visibilitychange", onVisibility);
    },
    askAnew: () => {
      anew = true;
      lastId = "";
      attempt.abort();
    },
  };
}

function isGone(error) {
  return error instanceof Problem && error.status === 404;
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function visible() {
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}
