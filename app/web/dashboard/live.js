// Updates of a session: by server-sent events, or by polling if there is no stream. Uses fetch, which can send a key.
// A hidden page has no stream, since browsers allow six connections to a host.

import { getSession, openEvents, Problem } from "./api.js";

const POLL_MILLISECONDS = 3_000;
const RETRY_STREAM_MILLISECONDS = 20_000;
const SILENCE_MILLISECONDS = 40_000; // the service sends a comment every 15 s

// Splits a stream of text into events: { event, id, data }.
export function reader(onEvent) {
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
      if (found.data) onEvent(found);
    }
  };
}

// Calls on.best, on.counters, on.mode ("live", "polling", "away") and on.gone; returns `stop` and `reconnect`. A page must
// reconnect after its own change: the stream does not report a change that is undone within a second.
export function follow(id, on) {
  let lastId = "";
  let stopped = false;
  let reconnecting = false;
  let attempt = new AbortController();

  function dispatch({ event, id: tag, data }) {
    if (tag) lastId = tag;
    if (event === "best-pair") on.best(JSON.parse(data));
    if (event === "counters") on.counters(JSON.parse(data));
  }

  async function stream() {
    attempt = new AbortController();
    let silence = setTimeout(() => attempt.abort(), SILENCE_MILLISECONDS);
    try {
      const response = await openEvents(id, lastId ? { "Last-Event-ID": lastId } : {}, attempt.signal);
      on.mode("live");
      const feed = reader(dispatch);
      const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
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
    while (!stopped) {
      reconnecting = false;
      try {
        if (document.hidden) await visible();
        else await stream();
      } catch (error) {
        if (isGone(error)) return end();
      }
      for (const until = Date.now() + RETRY_STREAM_MILLISECONDS; !stopped && !reconnecting && !document.hidden && Date.now() < until; ) {
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
    stopped = true;
    on.gone();
  }

  const onVisibility = () => document.hidden && attempt.abort();
  document.addEventListener("visibilitychange", onVisibility);
  run();
  return {
    stop: () => {
      stopped = true;
      attempt.abort();
      document.removeEventListener("visibilitychange", onVisibility);
    },
    reconnect: () => {
      reconnecting = true;
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
