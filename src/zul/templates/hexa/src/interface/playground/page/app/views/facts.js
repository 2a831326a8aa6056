/** What there is to know about the conversation on the screen. */

import { h } from "../dom.js";
import { number } from "../i18n.js";
import { oneLine } from "../visible.js";
import { copyAsCurl } from "./curl.js";

let shown = "";

/**
 * @param {Element} place
 * @param {import("../session.js").Session} session
 * @param {{ curl: (turn: any) => string, tools: () => any[] }} context
 */
export function updateFacts(place, session, context) {
  const turn = session.last;
  const now = JSON.stringify([session.thread, turn?.id, turn?.state, session.turns.length, context.tools()]);
  // Drawn again for nothing, a button would lose the focus.
  if (now === shown) return;
  shown = now;
  const rows = [];
  if (session.thread) rows.push(row("facts.thread", h("code", {}, ...oneLine(session.thread, 80))));
  if (turn) {
    rows.push(row("facts.state", h("span", { class: "state-word", data: { state: turn.state }, t: `state.${turn.state}` })));
    rows.push(row("facts.turns", number(session.turns.length)));
  }
  const tools = context.tools();
  const toolList = tools.length
    ? [h("h3", { t: "facts.tools" }), h("ul", { class: "tools" }, ...tools.map(({ name, description }) => h("li", {}, h("code", {}, ...oneLine(name, 60)), h("span", { class: "muted" }, firstLine(description)))))]
    : [];
  place.replaceChildren(
    rows.length ? h("dl", {}, ...rows) : "",
    turn?.message ? copyAsCurl(() => context.curl(turn)) : "",
    ...toolList,
  );
}

/** @param {string} key @param {Node | string} value */
function row(key, value) {
  return h("div", {}, h("dt", { t: key }), h("dd", {}, value));
}

/** @param {string} text */
function firstLine(text) {
  return text.split("\n")[0].slice(0, 140);
}
