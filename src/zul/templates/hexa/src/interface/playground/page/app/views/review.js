/** The actions that wait for a person: the heart of the page. */

import { h } from "../dom.js";
import { decisionOf, draftsFor, dropDrafts, isSound, keepDrafts } from "../draft.js";
import { translate } from "../i18n.js";
import { sameJson } from "../json.js";
import { actionCard } from "./action.js";

/**
 * @param {import("../turn.js").Turn} turn
 * @param {import("../session.js").Session} session
 * @param {{ tools: () => any[] }} context
 */
export function reviewCard(turn, session, context) {
  const { reviewId, pending } = /** @type {NonNullable<typeof turn.review>} */ (turn.review);
  const actions = pending.action_requests;
  const drafts = draftsFor(reviewId, actions, actions.map((/** @type {any} */ { name }) => schemaOf(context.tools(), name)));
  const progress = h("p", { class: "progress", role: "status", hidden: actions.length < 2 });
  const submit = /** @type {HTMLButtonElement} */ (h("button", { type: "submit", class: "button primary", disabled: true }));
  const list = h("ol", { class: "actions" });
  const body = h("fieldset", { class: "review-body" }, h("legend", { class: "visually-hidden", t: "review.legend" }));
  let busy = false;
  let ready = false;
  const changed = () => {
    if (!ready) return;
    const decided = drafts.filter((draft) => draft.decision).length;
    submit.disabled = busy || decided < actions.length;
    translate(submit, "text", busy ? "review.sending" : actions.length > 1 ? "review.submit.all" : submitKey(drafts[0]), { count: actions.length });
    approveRest.hidden = actions.length < 2 || decided === actions.length;
    translate(progress, "text", "review.progress", { decided, count: actions.length });
    keepDrafts(reviewId, drafts);
  };
  const cards = actions.map((/** @type {any} */ action, /** @type {number} */ index) =>
    actionCard({
      action, index, changed, count: actions.length, draft: drafts[index],
      allowed: pending.review_configs[index]?.allowed_decisions ?? ["approve", "edit", "reject"],
    }),
  );
  list.append(...cards.map((/** @type {any} */ card) => card.element));
  const approveRest = h("button", { type: "button", class: "button", t: "review.approveRest", on: { click: () => {
    cards.forEach((/** @type {any} */ card, /** @type {number} */ index) => { if (!drafts[index].decision) card.approve(); });
    submit.focus();
  } } });
  body.append(list, h("div", { class: "review-foot" }, progress, approveRest, submit));
  const form = /** @type {HTMLFormElement} */ (
    h("form", { class: "review", "aria-labelledby": "review-title", data: { review: reviewId }, novalidate: true },
      h("header", { class: "review-head" },
        h("h2", { id: "review-title", tabindex: "-1", t: "review.title", params: { count: actions.length } }),
        h("p", { t: actions.length > 1 ? "review.text.many" : "review.text" })),
      body)
  );
  const send = async () => {
    if (busy) return;
    const undecided = drafts.findIndex((draft) => !draft.decision);
    if (undecided >= 0) return askFor(cards[undecided].element, session);
    const faulty = drafts.findIndex((draft) => !isSound(draft));
    if (faulty >= 0) return showFault(cards[faulty].element, session);
    busy = true;
    changed();
    body.setAttribute("disabled", "");
    form.setAttribute("aria-busy", "true");
    session.say("say.decided");
    await session.decide(turn, drafts.map((draft, index) => ({ name: actions[index].name, decision: decisionOf(draft, actions[index]) })));
    if (turn.state === "done") dropDrafts();
    return undefined;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  });
  ready = true;
  changed();
  return form;
}

/** Of several subagents' tools of one name nobody knows which is meant. @param {any[]} tools @param {string} name */
function schemaOf(tools, name) {
  const [first, ...others] = tools.filter((tool) => tool.name === name).map(({ parameters }) => parameters);
  return others.every((other) => sameJson(first, other)) ? first : undefined;
}

/** @param {import("../draft.js").Draft} draft */
function submitKey(draft) {
  return draft.decision ? `review.submit.${draft.decision}` : "review.submit";
}

/** @param {Element} card @param {import("../session.js").Session} session */
function askFor(card, session) {
  /** @type {HTMLElement | null} */ (card.querySelector("input[type=radio]"))?.focus();
  session.say("say.undecided");
}

/** @param {Element} card @param {import("../session.js").Session} session */
function showFault(card, session) {
  const field = /** @type {HTMLElement | null} */ (card.querySelector("[aria-invalid=true], button.missing"));
  (field ?? /** @type {HTMLElement} */ (card)).focus();
  session.say("say.faulty");
}
