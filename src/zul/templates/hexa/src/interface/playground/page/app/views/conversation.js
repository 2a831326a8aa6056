/** The turns of a conversation, one under the other. */

import { textBlock } from "../visible.js";
import { byId, h, reconcile } from "../dom.js";
import { duration } from "../i18n.js";
import { growingAnswer } from "../turn.js";
import { answerText } from "./answer.js";
import { copyAsCurl } from "./curl.js";
import { emptyState } from "./empty.js";
import { failureCard, noticeCard } from "./failure.js";
import { reviewCard } from "./review.js";
import { activityView } from "./timeline.js";

/** @typedef {import("../turn.js").Turn} Turn */

/**
 * @param {import("../session.js").Session} session
 * @param {{ tools: () => any[], feature: () => any, use: (example: string) => void }} context
 */
export function conversationView(session, context) {
  const turns = byId("turns");
  const scroller = byId("conversation");
  let stick = true;
  scroller.addEventListener("scroll", () => {
    stick = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
  });
  const update = () => {
    /** @type {{ key: string, turn?: Turn }[]} */
    const items = session.turns.map((turn) => ({ key: turn.id, turn }));
    if (session.loading) items.push({ key: "loading" });
    else if (session.notice) items.push({ key: `notice-${session.notice.key}-${session.notice.detail ?? ""}` });
    else if (!items.length && context.feature()) items.push({ key: `empty-${context.feature().name}` });
    reconcile(turns, items, ({ key }) => key, ({ turn, key }) => {
      if (turn) {
        const view = turnView(turn, session, context);
        return { element: view.element, update: (item) => view.update(/** @type {Turn} */ (item.turn)) };
      }
      return { element: otherView(key, session, context), update: () => {} };
    });
    if (stick) scrollToNews(scroller);
  };
  return { update, stick: () => { stick = true; } };
}

/** Show the end; of a review that does not fit, the beginning. @param {HTMLElement} scroller */
function scrollToNews(scroller) {
  const review = /** @type {HTMLElement | null} */ (scroller.querySelector(".review"));
  scroller.scrollTop = scroller.scrollHeight;
  if (!review) return;
  const above = scroller.getBoundingClientRect().top + 12 - review.getBoundingClientRect().top;
  if (above > 0) scroller.scrollTop -= above;
}

/**
 * @param {string} key
 * @param {import("../session.js").Session} session
 * @param {any} context
 */
function otherView(key, session, context) {
  if (key === "loading") return h("p", { class: "loading", t: "loading" });
  if (key.startsWith("empty-")) return emptyState(context.feature(), context.use);
  return noticeCard(/** @type {any} */ (session.notice), () => session.reload());
}

/**
 * @param {Turn} first
 * @param {import("../session.js").Session} session
 * @param {any} context
 */
function turnView(first, session, context) {
  const message = h("div", { class: "message" }, h("h2", { class: "visually-hidden", t: "you" }), textBlock(first.message, "prose"));
  const activity = activityView();
  const answer = answerText();
  const end = h("div", { class: "turn-end" });
  const element = h("article", { class: "turn" }, first.message ? message : null, activity.element, answer.element, end);
  let shown = "";
  /** @param {Turn} turn */
  const update = (turn) => {
    element.dataset.state = turn.state;
    const isLast = turn === session.last;
    activity.update(turn, { open: isLast });
    answer.update(turn.answer ?? growingAnswer(turn), turn.state === "running" && turn.answer === null);
    // How long it took is known a moment after the answer.
    const seconds = turn.state === "done" ? turn.seconds : "";
    const state = `${turn.state} ${turn.review?.reviewId ?? ""} ${isLast} ${turn.error?.detail ?? ""} ${seconds}`;
    if (state === shown) return;
    shown = state;
    end.replaceChildren(...endOf(turn, isLast, session, context));
  };
  return { element, update };
}

/**
 * @param {Turn} turn
 * @param {boolean} isLast
 * @param {import("../session.js").Session} session
 * @param {any} context
 * @returns {Node[]}
 */
function endOf(turn, isLast, session, context) {
  if (turn.state === "pending" && turn.review) return [reviewCard(turn, session, context)];
  if (turn.state === "failed" && turn.error) return [failureCard(turn.error, () => session.retry(turn))];
  if (turn.state === "stopped" && isLast) return [noticeCard({ key: "notice.stopped" }, () => session.retry(turn))];
  if (turn.state === "done") return [turnFoot(turn, session, context)];
  return [];
}

/** @param {Turn} turn @param {import("../session.js").Session} session @param {any} context */
function turnFoot(turn, session, context) {
  const seconds = turn.seconds ? h("span", {}, duration(turn.seconds)) : null;
  return h("footer", { class: "turn-foot" }, seconds, copyAsCurl(() => context.curl(turn)));
}
