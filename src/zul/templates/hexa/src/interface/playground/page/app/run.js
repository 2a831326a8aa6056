/** Keeps reading one run until it is over, through lost connections and restarts of the service. */

import { ApiError, followRun } from "./api.js";
import { eventsOf } from "./events.js";

/**
 * @typedef {object} Watch
 * @property {string} feature
 * @property {string} run empty until the run has started
 * @property {AbortSignal} signal
 * @property {() => Promise<Response>} [start] asks for the run; safe to repeat
 * @property {(event: import("./events.js").StreamEvent) => void} onEvent
 * @property {(attempt: number, waitMs: number) => void} onLost
 * @property {() => void} onBack
 */

const WAITS_MS = [300, 800, 1500, 3000, 5000, 8000];
/** After about three minutes a person decides. */
const MOST_ATTEMPTS = 25;

/**
 * @param {Watch} watch
 * @returns {Promise<void>} once the last event was seen
 * @throws {ApiError} the service refuses, or stays away
 */
export async function watchRun(watch) {
  let { run } = watch;
  let after = 0;
  let attempt = 0;
  let over = false;
  for (;;) {
    try {
      const response = run || !watch.start ? await followRun(watch.feature, run, after, watch.signal) : await watch.start();
      if (attempt) watch.onBack();
      for await (const event of eventsOf(response)) {
        attempt = 0;
        if (event.id <= after) continue;
        after = event.id;
        if (event.type === "run_started") run = event.data.run_id;
        watch.onEvent(event);
        over ||= event.type === "done";
      }
      if (over) return;
      if (!after) throw new ApiError(404, "");
    } catch (error) {
      if (over) return;
      if (watch.signal.aborted || !isLoss(error)) throw error;
    }
    attempt += 1;
    if (attempt > MOST_ATTEMPTS) throw new ApiError(0, "");
    const wait = WAITS_MS[Math.min(attempt, WAITS_MS.length) - 1];
    watch.onLost(attempt, wait);
    await pause(wait, watch.signal);
  }
}

/** A refusal is an answer; anything else may be the way there. @param {unknown} error */
function isLoss(error) {
  if (!(error instanceof ApiError)) return true;
  return error.status === 0 || error.status === 502 || error.status === 504;
}

/** Wait, but not when the network comes back meanwhile. @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      window.removeEventListener("online", goOn);
      signal.removeEventListener("abort", giveUp);
      document.removeEventListener("reconnect", goOn);
    };
    const goOn = () => {
      stop();
      resolve(undefined);
    };
    const giveUp = () => {
      stop();
      reject(new DOMException("", "AbortError"));
    };
    const timer = setTimeout(goOn, ms);
    window.addEventListener("online", goOn);
    document.addEventListener("reconnect", goOn);
    signal.addEventListener("abort", giveUp);
  });
}
