/** What happened after one message of the user: built up from events, or from what is stored. */

import { toNumber } from "./json.js";

/**
 * @typedef {object} StepItem
 * @property {"step"} kind
 * @property {string} id
 * @property {string} node
 * @property {number} depth
 * @property {"running" | "done" | "failed" | "paused"} state
 * @property {number | null} seconds
 * @property {string[]} results names of the tools that answered in it
 *
 * @typedef {object} CallItem
 * @property {"call"} kind
 * @property {number} key its own on this page; ids of models are not
 * @property {string} id
 * @property {string} name
 * @property {Record<string, any>} args
 * @property {Record<string, any> | null} proposed what the model asked for, when a person changed it
 * @property {string | null} result
 * @property {boolean} failed
 * @property {boolean} rejected a person did not let it run
 * @property {boolean} [unknown] the service stopped while it ran: it may or may not have taken effect
 * @property {number | null} seconds
 * @property {Item[]} inner what a subagent did for this call
 *
 * @typedef {object} TextItem
 * @property {"text"} kind
 * @property {string} id
 * @property {string} text
 *
 * @typedef {object} DecisionItem
 * @property {"decision"} kind
 * @property {string} id
 * @property {Decided} decisions
 *
 * @typedef {StepItem | CallItem | TextItem | DecisionItem} Item
 *
 * @typedef {{ detail: string, code: string, requestId: string, status: number }} TurnError
 *
 * @typedef {object} Turn
 * @property {string} id
 * @property {string} message
 * @property {Item[]} items
 * @property {"running" | "done" | "pending" | "failed" | "stopped"} state
 * @property {string | null} answer
 * @property {TurnError | null} error
 * @property {{ reviewId: string, pending: any } | null} review
 * @property {Map<string, StepItem>} open steps that are running
 * @property {number} seconds how long its runs took while this page watched them; 0 if it did not
 * @property {Request | null} request what was asked for last
 *
 * @typedef {{ depth: number, parent_tool_call_id: string | null, parent_step_id: string | null }} Place where an event happened
 * @typedef {{ name: string, decision: any }[]} Decided one per action, in the order of the actions
 * @typedef {{ path: string, body: Record<string, any>, key: string, decided?: Decided }} Request
 */

let made = 0;

/**
 * @param {string} message
 * @returns {Turn}
 */
export function newTurn(message) {
  made += 1;
  return {
    id: `turn-${made}`, message, items: [], state: "running", answer: null, error: null, review: null,
    open: new Map(), seconds: 0, request: null,
  };
}

/**
 * @param {{ id: string, name: string, args: Record<string, any> }} call
 * @returns {CallItem}
 */
export function newCall({ id, name, args }) {
  made += 1;
  return {
    kind: "call", key: made, id, name, args, proposed: null, result: null, failed: false, rejected: false, seconds: null,
    inner: [],
  };
}

/**
 * Every item of a turn, those of subagents included.
 *
 * @param {Item[]} items
 * @returns {Generator<Item>}
 */
export function* allItems(items) {
  for (const item of items) {
    yield item;
    if (item.kind === "call") yield* allItems(item.inner);
  }
}

/** The call of this id that has no result yet: models use an id again, and subagents each other's. @param {Turn} turn @param {any} data */
function openCall(turn, data) {
  return callsIn(listFor(turn, data), data.id).findLast((call) => call.result === null);
}

/** Where things of this place are listed: in the call that opened the subagent. @param {Turn} turn @param {Place} place */
function listFor(turn, { depth, parent_tool_call_id: parent, parent_step_id: step }) {
  if (!depth) return turn.items;
  // Only the step tells apart calls of one id in two subagents.
  const openers = callsIn(listWith(turn.items, step) ?? turn.items, parent);
  const opener = openers.findLast((call) => call.result === null) ?? openers.at(-1);
  return opener ? opener.inner : turn.items;
}

/** @param {Item[]} items @param {string | null} step @returns {Item[] | undefined} the list that has the step itself */
function listWith(items, step) {
  if (items.some((item) => item.kind === "step" && item.id === step)) return items;
  for (const item of items) {
    const found = item.kind === "call" ? listWith(item.inner, step) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** @param {Item[]} items @param {string | null} id @returns {CallItem[]} */
function callsIn(items, id) {
  return items.flatMap((item) => (item.kind === "call" && item.id === id ? [item] : []));
}

/** @type {Record<string, (turn: Turn, data: any) => void>} */
const HANDLERS = {
  step_started: (turn, data) => {
    const list = listFor(turn, data);
    const known = list.find((item) => item.kind === "step" && item.id === data.step_id);
    /** @type {StepItem} */
    const step = known?.kind === "step" ? known : {
      kind: "step", id: data.step_id, node: data.node, depth: data.depth, state: "running", seconds: null,
      results: [],
    };
    step.state = "running";
    if (known) list.splice(list.indexOf(known), 1);
    list.push(step);
    turn.open.set(step.id, step);
  },
  step_finished: (turn, data) => {
    const step = turn.open.get(data.step_id);
    if (!step) return;
    turn.open.delete(data.step_id);
    step.seconds = toNumber(data.seconds);
    step.state = data.failed ? "failed" : data.paused ? "paused" : "done";
    const list = listFor(turn, data);
    for (const call of answered.get(turn) ?? []) {
      if (!list.includes(call)) continue;
      if (!call.rejected) call.seconds ??= step.seconds;
      step.results.push(call.name);
    }
    answered.delete(turn);
  },
  token: (turn, data) => {
    const list = listFor(turn, data);
    const last = list.findLast((item) => item.kind === "text" && item.id === data.message_id);
    if (last?.kind === "text") last.text += data.text;
    else list.push({ kind: "text", id: data.message_id, text: data.text });
  },
  tool_call: (turn, data) => {
    const known = openCall(turn, data);
    if (known) {
      known.proposed ??= known.args;
      known.args = data.args;
      return;
    }
    listFor(turn, data).push(newCall(data));
  },
  tool_result: (turn, data) => {
    const call = openCall(turn, data);
    if (!call) return;
    call.result = data.content;
    call.failed = data.failed;
    call.rejected = data.rejected;
    answered.set(turn, [...(answered.get(turn) ?? []), call]);
  },
  pending_review: (turn, data) => {
    turn.state = "pending";
    turn.review = { reviewId: data.review_id, pending: data.pending_review };
    stopSteps(turn, "done");
  },
  answer: (turn, data) => {
    turn.state = "done";
    turn.answer = data.answer;
    dropAnswerTokens(turn);
    stopSteps(turn, "done");
  },
  error: (turn, data) => {
    fail(turn, { detail: data.detail, code: data.code, requestId: data.request_id, status: 500 });
  },
};

/** Calls that were answered in the step that is being reported. @type {WeakMap<Turn, CallItem[]>} */
const answered = new WeakMap();

/**
 * @param {Turn} turn
 * @param {import("./events.js").StreamEvent} event
 */
export function apply(turn, event) {
  HANDLERS[event.type]?.(turn, event.data);
}

/** The tokens of the last text were the answer growing. @param {Turn} turn */
function dropAnswerTokens(turn) {
  const last = turn.items.findLastIndex((item) => item.kind === "text");
  const later = turn.items.slice(last + 1);
  if (last >= 0 && !later.some((item) => item.kind === "call")) turn.items.splice(last, 1);
}

/** The text that is growing at depth 0. @param {Turn} turn @returns {string | null} */
export function growingAnswer(turn) {
  if (turn.state !== "running") return null;
  const last = turn.items.findLast((item) => item.kind !== "step");
  return last?.kind === "text" ? last.text : null;
}

/** @param {Turn} turn @param {TurnError} error */
export function fail(turn, error) {
  turn.state = "failed";
  turn.error = error;
  stopSteps(turn, "failed");
}

/** Begin another run of the same turn. @param {Turn} turn */
export function goOn(turn) {
  turn.state = "running";
  turn.error = null;
  turn.review = null;
}

/** @param {Turn} turn @param {"failed" | "done"} state */
function stopSteps(turn, state) {
  for (const step of turn.open.values()) step.state = state;
  turn.open.clear();
}
