/** The steps of a turn: nodes, tool calls with their results, and what subagents did for them. */

import { h, reconcile } from "../dom.js";
import { duration, t } from "../i18n.js";
import { allItems, growingAnswer } from "../turn.js";
import { argumentList, oneLine, summary, textBlock } from "../visible.js";
import { decisionLine } from "./decision.js";
import { diffView } from "./diff.js";

/**
 * @typedef {import("../turn.js").Turn} Turn
 * @typedef {import("../turn.js").Item} Item
 */

export function activityView() {
  const title = h("span", { class: "activity-title" });
  const list = h("ol", { class: "steps" });
  const element = /** @type {HTMLDetailsElement} */ (
    h("details", { class: "activity" }, h("summary", {}, h("span", { class: "spinner", "aria-hidden": "true" }), title), list)
  );
  let opened = false;
  /** @param {Turn} turn @param {{ open: boolean }} options */
  const update = (turn, { open }) => {
    const growing = growingAnswer(turn);
    const items = turn.items.filter((item, index) => !(growing !== null && item.kind === "text" && isLastText(turn, index)));
    element.hidden = !items.length && turn.state !== "running";
    element.classList.toggle("running", turn.state === "running");
    if (open && !opened) element.open = true;
    opened ||= open;
    title.textContent = titleOf(turn);
    updateItems(list, items);
  };
  return { element, update };
}

/** @param {Turn} turn @param {number} index */
function isLastText(turn, index) {
  return turn.items.findLastIndex((item) => item.kind === "text") === index;
}

/** @param {Turn} turn */
function titleOf(turn) {
  const items = [...allItems(turn.items)];
  const steps = items.filter((item) => item.kind === "step").length;
  const calls = items.filter((item) => item.kind === "call").length;
  const words = turn.state === "running" ? [t("activity.running")] : [];
  if (steps) words.push(t("activity.steps", { count: steps }));
  if (calls || !words.length) words.push(t("activity.calls", { count: calls }));
  return words.join(" · ");
}

/** @param {Element} list @param {Item[]} items */
function updateItems(list, items) {
  reconcile(list, items, (item) => (item.kind === "call" ? `call ${item.key}` : `${item.kind} ${item.id}`), (item) => VIEWS[item.kind](/** @type {any} */ (item)));
}

/** @type {{ [kind in Item["kind"]]: (item: any) => { element: Element, update: (item: any) => void } }} */
const VIEWS = {
  step: stepView,
  call: callView,
  text: textView,
  decision: (item) => ({ element: h("li", { class: "step decision" }, decisionLine(item.decisions)), update: () => {} }),
};

/** @param {import("../turn.js").StepItem} step */
function stepView(step) {
  const time = h("span", { class: "time" });
  const what = h("span", { class: "what" });
  const element = h("li", { class: "step" }, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "node" }, ...oneLine(step.node, 60)), what, time);
  return {
    element,
    update: () => {
      element.dataset.state = step.state;
      time.textContent = step.state === "running" ? "" : duration(step.seconds ?? 0);
      if (step.state !== "done") what.replaceChildren(t(`step.${step.state}`));
      else what.replaceChildren(...oneLine(step.results.join(", ")));
    },
  };
}

/** @param {import("../turn.js").TextItem} item */
function textView(item) {
  const body = h("div", { class: "said" });
  let shown = "";
  return {
    element: h("li", { class: "step text-step" }, body),
    update: () => {
      if (item.text === shown) return;
      shown = item.text;
      body.replaceChildren(textBlock(item.text, "prose"));
    },
  };
}

/** @type {Record<string, string>} */
const RESULT_TITLES = { failed: "call.failure", rejected: "call.refusal" };

/** @param {import("../turn.js").CallItem} call */
function callView(call) {
  const state = h("span", { class: "state" });
  const time = h("span", { class: "time" });
  const args = h("span", { class: "args" });
  const head = h("summary", {}, h("span", { class: "tool" }, ...oneLine(call.name, 60)), args, state, time);
  const proposal = h("div", { class: "call-part" });
  const inner = h("ol", { class: "steps inner" });
  const result = h("div", { class: "call-part result" });
  const element = /** @type {HTMLDetailsElement} */ (h("details", { class: "call" }, head, proposal, inner, result));
  let shownArgs = "";
  /** @type {string | null} */
  let shownResult = null;
  const update = () => {
    const outcome = outcomeOf(call);
    element.dataset.state = outcome;
    state.textContent = t(`call.${outcome}`);
    time.textContent = call.seconds === null ? "" : duration(call.seconds);
    const json = JSON.stringify([call.args, call.proposed]);
    if (json !== shownArgs) {
      shownArgs = json;
      args.replaceChildren(...summary(call.args));
      proposal.replaceChildren(h("p", { class: "part-title", t: "call.arguments" }), argumentList(call.args), ...edited(call));
    }
    // What a subagent says last is the result of the call.
    const steps = call.inner.filter((item) => item.kind !== "text" || item.text !== call.result);
    inner.hidden = !steps.length;
    if (call.inner.length && !element.dataset.seen) {
      element.dataset.seen = "yes";
      element.open = true;
    }
    updateItems(inner, steps);
    if (call.result !== shownResult) {
      shownResult = call.result;
      result.replaceChildren(h("p", { class: "part-title", t: RESULT_TITLES[outcome] ?? "call.result" }), textBlock(call.result ?? ""));
    }
    result.hidden = call.result === null;
  };
  return { element: h("li", { class: "step call-step" }, element), update };
}

/** @param {import("../turn.js").CallItem} call */
function outcomeOf({ result, failed, rejected, unknown }) {
  if (unknown) return "unknown";
  if (result === null) return "open";
  if (rejected) return "rejected";
  return failed ? "failed" : "done";
}

/** @param {import("../turn.js").CallItem} call */
function edited(call) {
  if (!call.proposed) return [];
  const diff = diffView(call.proposed, call.args);
  return diff ? [h("p", { class: "part-title", t: "call.edited" }), diff] : [];
}
