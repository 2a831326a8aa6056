/** The same request for a terminal, at the endpoint that serves clients. */

import { h } from "../dom.js";
import { translate } from "../i18n.js";
import { writeJson } from "../json.js";

const ROOT = new URL("../../../../", import.meta.url);

/**
 * @param {{ name: string, description: string }} feature
 * @param {import("../turn.js").Turn} turn
 * @param {string} thread
 */
export function curlOf(feature, turn, thread) {
  const request = turn.request;
  const endpoint = /`POST (\/[^`\s]+)`/.exec(feature.description)?.[1];
  if (request?.path === "resume") {
    const body = { thread_id: thread, ...request.body.value, review_id: request.body.review_id };
    const path = endpoint?.endsWith("/chat") && endpoint !== "/chat" ? endpoint.replace(/chat$/, "review") : null;
    return path ? command(path, body) : command("/playground/resume", request.body);
  }
  const body = { message: turn.message, thread_id: thread };
  return endpoint ? command(endpoint, body) : command("/playground/messages", { feature: feature.name, ...body });
}

/** @param {string} path @param {any} body */
function command(path, body) {
  const url = new URL(path.slice(1), ROOT).href;
  return `curl -s ${quote(url)} -H 'Content-Type: application/json' -d ${quote(writeJson(body))}`;
}

/** For a POSIX shell: nothing has a meaning inside single quotes. @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {() => string} make */
export function copyAsCurl(make) {
  const button = h("button", { type: "button", class: "link", t: "curl.copy" });
  button.addEventListener("click", async () => {
    const text = make();
    try {
      await navigator.clipboard.writeText(text);
      translate(button, "text", "curl.copied");
      setTimeout(() => translate(button, "text", "curl.copy"), 2000);
    } catch {
      // Without a secure context there is no clipboard: show it for copying by hand.
      const field = h("textarea", { class: "copy-field", rows: "3", readonly: true, tLabel: "curl.copy" });
      /** @type {HTMLTextAreaElement} */ (field).value = text;
      button.replaceWith(field);
      /** @type {HTMLTextAreaElement} */ (field).select();
    }
  });
  return button;
}
