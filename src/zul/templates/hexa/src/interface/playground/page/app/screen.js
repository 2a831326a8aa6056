/** What is on the screen of a conversation, and who is told when it changes. */

import { findThread, noteThread } from "./threads.js";

/**
 * @typedef {import("./turn.js").Turn} Turn
 * @typedef {{ key: string, detail?: string, requestId?: string, code?: string, failed?: boolean }} Notice
 */

/**
 * Events: `change` (detail: the turn, or null for everything), `say` (detail: key and params of a
 * text for screen readers), `returned` (detail: a message that was refused).
 */
export class Screen extends EventTarget {
  feature = "";
  thread = "";
  /** @type {Turn[]} */
  turns = [];
  /** @type {Notice | null} */
  notice = null;
  loading = true;
  deciding = false;
  /** @type {{ attempt: number, until: number } | null} */
  lost = null;
  watching = new AbortController();
  /** @type {Promise<void>} */
  opening = Promise.resolve();

  /** The turn that runs, waits or failed. */
  get last() {
    return this.turns.at(-1) ?? null;
  }

  get running() {
    return this.last?.state === "running";
  }

  get waiting() {
    return this.last?.state === "pending";
  }

  /** Stop watching; what runs goes on without us. */
  leave() {
    this.watching.abort();
    this.watching = new AbortController();
    this.lost = null;
  }

  /** @param {{ attempt: number, until: number } | null} lost */
  setLost(lost) {
    if (!lost && !this.lost) return;
    if (lost && !this.lost) this.say("say.lost");
    if (!lost) this.say("say.back");
    this.lost = lost;
    this.changed(this.last);
  }

  /** @param {Partial<import("./threads.js").Thread>} changes */
  note(changes) {
    const known = findThread(this.feature, this.thread);
    if (!known && !("title" in changes)) {
      if (!this.turns.length) return;
      changes = { title: this.turns[0].message.trim().slice(0, 120), ...changes };
    }
    noteThread(this.feature, this.thread, changes);
  }

  /** @param {string} key @param {Record<string, string | number>} [params] */
  say(key, params) {
    this.dispatchEvent(new CustomEvent("say", { detail: { key, params } }));
  }

  /** Let a message be written again that could not be sent. @param {string} message */
  giveBack(message) {
    this.dispatchEvent(new CustomEvent("returned", { detail: message }));
  }

  /** @param {Turn | null} [turn] */
  changed(turn = null) {
    this.dispatchEvent(new CustomEvent("change", { detail: turn }));
  }
}
