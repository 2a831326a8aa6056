/** Brings the last turn of a conversation back with all its steps, and follows it if it runs. */

import { ApiError, getThread } from "./api.js";
import { turnsOf } from "./history.js";
import { findThread } from "./threads.js";
import { allItems, goOn, newTurn } from "./turn.js";

/**
 * The stored messages hold what was said. The runs of the last turn hold the steps, also those of
 * subagents; this browser remembers which runs these were.
 *
 * @param {import("./session.js").Session} session with the stored turns
 * @param {any} stored the conversation as the service has it
 * @param {AbortSignal} signal
 */
export async function restoreLastTurn(session, stored, signal) {
  const last = findThread(session.feature, session.thread)?.last;
  const fits = last && fitsStored(last, session.turns, stored.run_id);
  const runs = fits ? [...last.runs] : [];
  const isOurs = runs.some(({ id }) => id === stored.run_id);
  if (stored.run_id && !isOurs) runs.push({ id: stored.run_id });
  if (runs.length) {
    if (fits) session.turns[last.index] = newTurn(last.message);
    await replay(session, runs, signal);
  }
  if (signal.aborted) return;
  const turn = session.last;
  if (stored.run_id && !isOurs && !fits) return session.reload(session.notice);
  // While its run was followed, the conversation went on.
  const now = stored.run_id ? await getThread(session.feature, session.thread) : stored;
  if (signal.aborted || now.run_id) return undefined;
  if (turn && !agrees(turn, now)) session.turns = turnsOf(now.messages);
  settle(session, now);
}

/**
 * @param {import("./threads.js").LastTurn} last
 * @param {import("./turn.js").Turn[]} turns
 * @param {string | null} running
 */
function fitsStored(last, turns, running) {
  if (last.index === turns.length - 1) return turns[last.index].message === last.message;
  // A turn that has just begun may not be stored yet.
  return last.index === turns.length && running !== null;
}

/**
 * @param {import("./session.js").Session} session
 * @param {import("./threads.js").LastTurn["runs"]} runs
 * @param {AbortSignal} signal
 */
async function replay(session, runs, signal) {
  const turn = session.last ?? newTurn("");
  if (!session.turns.length) session.turns.push(turn);
  turn.items = turn.items.filter((item) => item.kind !== "text");
  for (const { id, decisions } of runs) {
    goOn(turn);
    try {
      await session.watch(turn, id, decisions);
    } catch (error) {
      // The run is not kept any more: what is stored has to do.
      if (signal.aborted || !(error instanceof ApiError)) throw error;
      turn.state = "stopped";
    }
  }
}

/** Tell whether the steps lead to what is stored. @param {import("./turn.js").Turn} turn @param {any} stored */
function agrees(turn, stored) {
  if (turn.state === "pending") return turn.review?.reviewId === stored.review_id;
  if (turn.state === "done") return !stored.pending_review && !stored.unfinished;
  return turn.state === "failed" && !stored.pending_review;
}

/** @param {import("./session.js").Session} session @param {{ tool_call_id: string, status: string }[]} actions */
function markUnknown(session, actions) {
  const unknown = new Set(actions.filter(({ status }) => status === "unknown").map((action) => action.tool_call_id));
  for (const item of session.turns.flatMap((turn) => [...allItems(turn.items)])) {
    if (item.kind === "call") item.unknown = unknown.has(item.id);
  }
}

/** The service has the last word. @param {import("./session.js").Session} session @param {any} stored */
function settle(session, stored) {
  markUnknown(session, stored.actions ?? []);
  const turn = session.last;
  if (!turn) return;
  if (stored.pending_review) {
    turn.state = "pending";
    turn.review = { reviewId: stored.review_id, pending: stored.pending_review };
  } else if (stored.unfinished && turn.state !== "failed") {
    turn.state = "stopped";
  }
}
