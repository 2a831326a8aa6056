/** The features, and the conversations this browser had with each. */

import { ApiError, eraseThread } from "../api.js";
import { byId, h, icon, reconcile } from "../dom.js";
import { moment, serviceText } from "../i18n.js";
import { hashOf } from "../route.js";
import { forgetThread, listThreads } from "../threads.js";
import { oneLine } from "../visible.js";

const BIN = "M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.5 8.500h6l.5-8.500M7 7v3.500M9 7v3.500";

/**
 * @param {import("../session.js").Session} session
 * @param {{ name: string }[]} features
 */
export function updateSidebar(session, features) {
  byId("new-conversation").href = hashOf(session.feature);
  reconcile(byId("features"), features, ({ name }) => name, ({ name }) => {
    const link = h("a", { href: hashOf(name) }, ...oneLine(name, 60));
    return { element: h("li", {}, link), update: () => markCurrent(link, name === session.feature) };
  });
  const threads = listThreads(session.feature);
  const list = byId("threads");
  const empty = threads.length ? [] : [{ id: "", title: "", at: 0 }];
  reconcile(list, [...threads, ...empty], ({ id }) => `${session.feature}/${id}`, (thread) =>
    thread.id ? threadView(thread, session) : { element: h("li", { class: "muted", t: "threads.none" }), update: () => {} },
  );
}

/** @param {Element} link @param {boolean} current */
function markCurrent(link, current) {
  if (current) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/**
 * @param {import("../threads.js").Thread} first
 * @param {import("../session.js").Session} session
 */
function threadView(first, session) {
  const title = h("span", { class: "thread-title" });
  const time = h("span", { class: "thread-time" });
  const waits = h("span", { class: "waits", t: "threads.waiting" });
  const link = h("a", { href: hashOf(session.feature, first.id) }, title, h("span", { class: "thread-meta" }, waits, time));
  const question = h("div", { class: "thread-question", hidden: true });
  const remove = h("button", { type: "button", class: "icon-button", tLabel: "threads.erase", params: { title: first.title } }, icon(BIN));
  const row = h("div", { class: "thread-row" }, link, remove);
  const element = h("li", { class: "thread" }, row, question);
  const close = () => {
    question.hidden = true;
    row.hidden = false;
    remove.focus();
  };
  remove.addEventListener("click", () => ask(question, row, close, () => erase(first.id, session, question)));
  question.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  /** @param {import("../threads.js").Thread} thread */
  const update = (thread) => {
    markCurrent(link, thread.id === session.thread);
    title.replaceChildren(...(thread.title ? oneLine(thread.title, 80) : oneLine(thread.id, 40)));
    time.textContent = moment(thread.at);
    waits.hidden = !thread.waiting;
  };
  return { element, update };
}

/**
 * @param {HTMLElement} question
 * @param {HTMLElement} row
 * @param {() => void} close
 * @param {() => void} erase
 */
function ask(question, row, close, erase) {
  const yes = h("button", { type: "button", class: "button danger small", t: "threads.erase.yes", on: { click: erase } });
  const no = h("button", { type: "button", class: "button small", t: "cancel", on: { click: close } });
  question.replaceChildren(h("p", { t: "threads.erase.question" }), yes, no);
  row.hidden = true;
  question.hidden = false;
  no.focus();
}

/**
 * @param {string} id
 * @param {import("../session.js").Session} session
 * @param {HTMLElement} question
 */
async function erase(id, session, question) {
  try {
    await eraseThread(session.feature, id);
  } catch (error) {
    // What the service does not know is erased already.
    if (!(error instanceof ApiError) || error.status !== 404) {
      const text = error instanceof ApiError ? serviceText(error.detail) : "";
      question.append(h("p", { class: "fault", role: "alert", t: "threads.erase.failed", params: { text } }));
      return;
    }
  }
  forgetThread(session.feature, id);
  session.say("say.erased");
  if (session.thread === id) location.hash = hashOf(session.feature);
  document.getElementById(session.thread === id ? "message" : "new-conversation")?.focus();
}
