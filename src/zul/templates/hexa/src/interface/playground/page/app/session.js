/** The conversation on the screen: opens it, sends to it, and follows what happens in it. */

import { ApiError, getThread, newId, startRun } from "./api.js";
import { turnsOf } from "./history.js";
import { restoreLastTurn } from "./restore.js";
import { settleAt } from "./route.js";
import { watchRun } from "./run.js";
import { Screen } from "./screen.js";
import { findThread } from "./threads.js";
import { apply, fail, goOn, newTurn } from "./turn.js";

/**
 * @typedef {import("./turn.js").Turn} Turn
 * @typedef {import("./screen.js").Notice} Notice
 */

/** What a person does with a conversation. */
export class Session extends Screen {
  /** @param {string} feature @param {string} thread */
  async open(feature, thread) {
    this.feature = feature;
    this.thread = thread;
    this.notice = null;
    await this.reload();
  }

  /** Show the conversation as the service has it now. @param {Notice | null} [notice] */
  reload(notice = null) {
    this.opening = this.load(notice);
    return this.opening;
  }

  /** @param {Notice | null} notice */
  async load(notice) {
    this.leave();
    this.turns = [];
    this.notice = notice;
    this.loading = false;
    if (!this.thread) return this.changed();
    const signal = this.watching.signal;
    this.loading = true;
    this.changed();
    try {
      const stored = await getThread(this.feature, this.thread);
      if (signal.aborted) return;
      this.turns = turnsOf(stored.messages);
      this.loading = false;
      await restoreLastTurn(this, stored, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.notice = this.recalled(error) ? null : noticeOf(error);
    }
    if (signal.aborted) return;
    this.loading = false;
    this.note({ waiting: this.waiting });
    this.changed();
  }

  /** A first message that never reached the store can be sent again. @param {unknown} error */
  recalled(error) {
    const last = findThread(this.feature, this.thread)?.last;
    if (!(error instanceof ApiError) || error.status !== 404 || last?.index !== 0) return false;
    this.turns = [{ ...newTurn(last.message), state: "stopped" }];
    return true;
  }

  /** Look whether the action on the screen still waits: another tab may have decided it. */
  async check() {
    const shown = this.waiting ? this.last?.review?.reviewId : null;
    if (!shown || this.deciding) return;
    try {
      const stored = await getThread(this.feature, this.thread);
      if (stored.review_id === shown || this.last?.review?.reviewId !== shown) return;
      await this.reload({ key: "notice.elsewhere" });
    } catch {
      // It will show when the decision is sent.
    }
  }

  /** @param {string} message */
  async send(message) {
    const { signal } = this.watching;
    // What was stored may still be on its way to the screen, or somebody goes elsewhere meanwhile.
    await this.opening;
    if (signal.aborted || this.running || this.waiting || this.loading) return this.giveBack(message);
    this.notice = null;
    const turn = newTurn(message);
    const isNew = !this.thread;
    if (isNew) {
      this.thread = newId();
      settleAt(this.feature, this.thread);
    }
    this.turns.push(turn);
    const known = findThread(this.feature, this.thread);
    const title = known?.title || message.trim().slice(0, 120);
    this.note({ title, at: Date.now(), last: { index: this.turns.length - 1, message, runs: [] } });
    this.changed();
    this.say("say.sent");
    const body = { feature: this.feature, message, thread_id: this.thread };
    await this.request(turn, { path: "messages", body, key: newId() });
  }

  /**
   * @param {Turn} turn
   * @param {{ name: string, decision: any }[]} decided one per action, in the order of the actions
   */
  async decide(turn, decided) {
    const { signal } = this.watching;
    await this.opening;
    if (signal.aborted || !turn.review) return;
    this.notice = null;
    const body = {
      feature: this.feature,
      thread_id: this.thread,
      value: { decisions: decided.map(({ decision }) => decision) },
      review_id: turn.review.reviewId,
    };
    this.deciding = true;
    await this.request(turn, { path: "resume", body, key: newId(), decided });
    this.deciding = false;
  }

  /** Try a failed turn again, from wherever the service says it stands. @param {Turn} turn */
  async retry(turn) {
    if (turn.error?.status === 0 && turn.request) {
      goOn(turn);
      this.changed(turn);
      return this.request(turn, turn.request);
    }
    try {
      const stored = await getThread(this.feature, this.thread);
      if (stored.pending_review || stored.run_id) return this.reload();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) {
        this.notice = noticeOf(error);
        return this.changed();
      }
    }
    goOn(turn);
    this.changed(turn);
    const body = { feature: this.feature, message: turn.message, thread_id: this.thread };
    await this.request(turn, { path: "messages", body, key: newId() });
  }

  /**
   * @param {Turn} turn
   * @param {import("./turn.js").Request} request
   */
  async request(turn, request) {
    const { signal } = this.watching;
    turn.request = request;
    const started = performance.now();
    try {
      await this.watch(turn, "", request.decided, () => startRun(request.path, request.body, request.key, signal));
    } catch (error) {
      if (signal.aborted) return;
      await this.refused(turn, request, error);
    }
    if (signal.aborted) return;
    turn.seconds += (performance.now() - started) / 1000;
    this.settled(turn);
  }

  /**
   * Follow a run of a turn to its end.
   *
   * @param {Turn} turn
   * @param {string} run
   * @param {{ name: string, decision: any }[]} [decided]
   * @param {() => Promise<Response>} [start]
   */
  async watch(turn, run, decided, start) {
    const { signal } = this.watching;
    await watchRun({
      feature: this.feature,
      run,
      signal,
      start,
      onEvent: (event) => {
        if (event.type === "run_started") this.began(turn, event.data.run_id, decided);
        apply(turn, event);
        this.changed(turn);
      },
      onLost: (attempt, wait) => this.setLost({ attempt, until: Date.now() + wait }),
      onBack: () => this.setLost(null),
    });
  }

  /** @param {Turn} turn @param {string} run @param {{ name: string, decision: any }[]} [decided] */
  began(turn, run, decided) {
    if (decided) {
      turn.items.push({ kind: "decision", id: `decision-${run}`, decisions: decided });
      goOn(turn);
    }
    const last = findThread(this.feature, this.thread)?.last;
    if (!last || last.runs.some(({ id }) => id === run)) return;
    this.note({ waiting: false, last: { ...last, runs: [...last.runs, { id: run, decisions: decided }] } });
  }

  /** @param {Turn} turn @param {import("./turn.js").Request} request @param {unknown} error */
  async refused(turn, request, error) {
    const refusal = error instanceof ApiError ? error : new ApiError(0, String(error));
    const { status, detail, code, requestId } = refusal;
    this.setLost(null);
    if (request.path === "resume" && turn.state === "pending" && status !== 0) {
      return this.reload({ key: "notice.review", detail, requestId });
    }
    if (status === 400 && this.turns.length > 1) {
      this.giveBack(turn.message);
      return this.reload({ key: "notice.message", detail, requestId });
    }
    fail(turn, { detail, code, requestId, status });
  }

  /** @param {Turn} turn */
  settled(turn) {
    this.setLost(null);
    this.note({ waiting: turn.state === "pending" });
    this.changed(turn);
    if (turn.state === "done") this.say("say.answer", { text: (turn.answer ?? "").slice(0, 600) });
    if (turn.state === "pending") this.say("say.review", { count: turn.review?.pending.action_requests.length ?? 0 });
    if (turn.state === "failed") this.say("say.failed", { text: turn.error?.detail ?? "" });
  }
}

/** @param {unknown} error @returns {Notice | null} */
function noticeOf(error) {
  if (!(error instanceof ApiError)) return { key: "notice.failed", detail: String(error), failed: true };
  const { status, detail, code, requestId } = error;
  if (status === 404) return { key: "notice.unknown" };
  return { key: status ? "notice.failed" : "notice.offline", detail, code, requestId, failed: true };
}
