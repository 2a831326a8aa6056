/** What a person changed about the arguments of an action. */

import { difference } from "../diff.js";
import { h } from "../dom.js";
import { sameJson, writeJson } from "../json.js";
import { oneLine, visibleNodes } from "../visible.js";

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @returns {HTMLElement | null} nothing when nothing was changed
 */
export function diffView(before, after) {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => !sameJson(own(before, key), own(after, key)));
  if (!changed.length) return null;
  const list = h("dl", { class: "diff" });
  for (const key of changed) {
    list.append(h("div", {}, h("dt", {}, ...oneLine(key), kindOfChange(before, after, key)), h("dd", {}, ...parts(own(before, key), own(after, key)))));
  }
  const same = keys.length - changed.length;
  return h("div", {}, list, same ? h("p", { class: "muted", t: "diff.same", params: { count: same } }) : null);
}

/** @param {Record<string, any>} object @param {string} key */
function own(object, key) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** @param {Record<string, any>} before @param {Record<string, any>} after @param {string} key */
function kindOfChange(before, after, key) {
  if (!Object.hasOwn(before, key)) return h("span", { class: "tag", t: "diff.added" });
  if (!Object.hasOwn(after, key)) return h("span", { class: "tag", t: "diff.removed" });
  return null;
}

/** @param {any} before @param {any} after */
function parts(before, after) {
  return difference(textOf(before), textOf(after)).map(({ kind, text }) => {
    if (kind === "same") return h("span", {}, ...visibleNodes(shorten(text), "prose"));
    const sign = h("span", { class: "visually-hidden", t: kind === "old" ? "diff.old" : "diff.new" });
    return h(kind === "old" ? "del" : "ins", {}, sign, ...visibleNodes(text, "part"));
  });
}

/** @param {any} value */
function textOf(value) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : writeJson(value, 2);
}

/** What did not change needs no more than its ends. @param {string} text */
function shorten(text) {
  return text.length > 400 ? `${text.slice(0, 180)} … (${text.length - 360}) … ${text.slice(-180)}` : text;
}
