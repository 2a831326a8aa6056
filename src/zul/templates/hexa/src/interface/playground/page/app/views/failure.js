/** Says what went wrong, and what can be done about it. */

import { h } from "../dom.js";
import { serviceText } from "../i18n.js";
import { sentence } from "../visible.js";

/**
 * @param {import("../turn.js").TurnError} error
 * @param {() => void} retry
 */
export function failureCard(error, retry) {
  const title = titleOf(error);
  return card({ title, detail: error.detail, code: error.code, requestId: error.requestId, status: error.status }, retry, true);
}

/** @param {import("../turn.js").TurnError} error */
function titleOf({ status, code }) {
  if (status === 0) return "failure.offline";
  if (["llm_timeout", "llm_unavailable", "llm_not_configured", "tool_failed"].includes(code)) return `failure.${code}`;
  if (status === 409) return "failure.busy";
  if (status === 503) return "failure.unavailable";
  return status < 500 ? "failure.refused" : "failure.internal";
}

/**
 * @param {import("../session.js").Notice} notice
 * @param {() => void} retry
 */
export function noticeCard(notice, retry) {
  const { key, detail, code, requestId, failed } = notice;
  const button = key === "notice.stopped" || failed;
  return card({ title: key, detail, code, requestId, status: 0 }, button ? retry : null, Boolean(failed));
}

/**
 * @param {{ title: string, detail?: string, code?: string, requestId?: string, status: number }} what
 * @param {(() => void) | null} retry
 * @param {boolean} failed
 */
function card({ title, detail, code, requestId, status }, retry, failed) {
  const button = retry && h("button", { type: "button", class: "button small", t: "retry", on: { click: retry } });
  return h(
    "section",
    { class: failed ? "notice failed" : "notice", tabindex: "-1", data: { focus: "failure" } },
    h("h3", { t: title }),
    detail ? h("p", { class: "text" }, ...sentence(serviceText(detail), 2000)) : null,
    h(
      "div",
      { class: "notice-foot" },
      button,
      code ? fact("failure.code", code) : status ? fact("failure.status", String(status)) : null,
      requestId ? fact("failure.request", requestId) : null,
    ),
  );
}

/** @param {string} key @param {string} value */
function fact(key, value) {
  return h("span", { class: "fact" }, h("span", { t: key }), " ", h("code", {}, value));
}
