/** Where messages are written. */

import { byId } from "../dom.js";
import { translate } from "../i18n.js";

/**
 * @param {import("../session.js").Session} session
 * @param {() => void} sent
 */
export function composerView(session, sent) {
  const form = byId("composer");
  const field = /** @type {HTMLTextAreaElement} */ (byId("message"));
  const button = /** @type {HTMLButtonElement} */ (byId("send"));
  const hint = byId("composer-hint");
  const blocked = () => session.running || session.waiting || session.loading;
  const resize = () => {
    field.rows = Math.min(8, field.value.split("\n").length);
  };
  const update = () => {
    button.disabled = blocked() || !field.value.trim();
    const key = session.waiting ? "composer.waiting" : session.running ? "composer.running" : "composer.hint";
    translate(hint, "text", key);
    // While an action waits there is nothing to write, except to finish what was begun.
    form.dataset.blocked = String(session.waiting && !field.value);
  };
  const send = () => {
    const message = field.value;
    if (blocked() || !message.trim()) return;
    field.value = "";
    resize();
    sent();
    void session.send(message);
  };
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener("input", () => {
    resize();
    update();
  });
  field.addEventListener("keydown", (event) => {
    // While a word is being composed, Enter ends the word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  session.addEventListener("returned", (event) => {
    if (!field.value) field.value = /** @type {CustomEvent} */ (event).detail;
    resize();
    update();
  });
  /** @param {string} message */
  const use = (message) => {
    field.value = message;
    resize();
    send();
    field.focus();
  };
  return { update, use, focus: () => field.focus() };
}
