/** Shows texts so that nothing in them goes unseen. */

import { piecesOf } from "./characters.js";
import { h } from "./dom.js";
import { number, t } from "./i18n.js";
import { kindOf, writeJson } from "./json.js";

/** From here on a text is shown by its beginning and its end until the reader wants all of it. */
const LONG = { characters: 1600, lines: 40 };
const HEAD = 900;
const TAIL = 500;

/** Elements cost more than text: beyond this many badges they are written into the text. */
const MOST_BADGES = 1500;

/**
 * @typedef {"value" | "part" | "prose" | "json"} Way
 *   as in `characters.js`; in JSON the line ends are ours
 */

/**
 * @param {string} text
 * @param {Way} [way]
 * @returns {(Node | string)[]}
 */
export function visibleNodes(text, way = "value") {
  if (way === "json") return text.split("\n").flatMap((line, index) => [index ? "\n" : "", ...visibleNodes(line, "prose")]);
  const pieces = piecesOf(text, way);
  if (pieces.length > MOST_BADGES) {
    return [pieces.map((piece) => (piece.badge ? `⟨${piece.badge}⟩` : piece.text)).join("")];
  }
  return pieces.map((piece) => {
    if (piece.newline) return newlines(piece.text.length);
    if (!piece.badge) return piece.text;
    return badge(piece);
  });
}

/** @param {number} count */
function newlines(count) {
  const marks = [];
  for (let index = 0; index < count; index += 1) {
    marks.push(h("span", { class: "newline", "aria-hidden": "true" }, "↵"), "\n");
  }
  return h("span", {}, ...marks);
}

/** @param {import("./characters.js").Piece} piece */
function badge(piece) {
  if (piece.danger === "lookalike") {
    return h("span", { class: "twin" }, piece.text, h("span", { class: "code" }, piece.badge));
  }
  return h("span", { class: "code", data: piece.danger ? { danger: piece.danger } : {} }, piece.badge);
}

/**
 * Text on one line, for names, ids and titles.
 *
 * @param {string} text
 * @param {number} [most]
 */
export function oneLine(text, most = 160) {
  const short = text.length > most ? `${cut(text, 0, most)}…` : text;
  return visibleNodes(short.replaceAll("\n", " "), "prose");
}

/**
 * A sentence in which names stand between backticks.
 *
 * @param {string} text
 * @param {number} [most]
 * @returns {(Node | string)[]}
 */
export function sentence(text, most = 600) {
  const short = text.length > most ? `${cut(text, 0, most)}…` : text;
  return short.split(/`([^`\n]+)`/).flatMap((part, index) => {
    const nodes = visibleNodes(part, "prose");
    return index % 2 ? [h("code", {}, ...nodes)] : nodes;
  });
}

/**
 * A text of any length: whole, or its beginning, what is left out, and its end.
 *
 * @param {string} text
 * @param {Way} [way]
 */
export function textBlock(text, way = "value") {
  const block = h("div", { class: "text" });
  if (text === "") {
    block.append(h("span", { class: "empty", t: "value.empty" }));
    return block;
  }
  if (!isLong(text)) {
    block.append(...visibleNodes(text, way));
    return block;
  }
  return longText(block, text, way);
}

/** @param {HTMLElement} block @param {string} text @param {Way} way */
function longText(block, text, way) {
  const content = h("div", { class: "text-content" });
  const toggle = h("button", { type: "button", class: "link", "aria-expanded": "false" });
  const length = h("span", { class: "muted", t: "value.length", params: { count: [...text].length } });
  let open = false;
  const show = () => {
    content.replaceChildren(...(open ? visibleNodes(text, way) : shortened(text, way)));
    content.classList.toggle("scrolling", open);
    // Whoever has no mouse must be able to scroll too.
    if (open) content.setAttribute("tabindex", "0");
    else content.removeAttribute("tabindex");
    toggle.setAttribute("aria-expanded", String(open));
    toggle.replaceChildren(h("span", { t: open ? "value.less" : "value.all" }));
  };
  toggle.addEventListener("click", () => {
    open = !open;
    show();
  });
  show();
  block.append(content, h("div", { class: "text-foot" }, length, toggle));
  return block;
}

/** @param {string} text */
function isLong(text) {
  return text.length > LONG.characters || text.split("\n", LONG.lines + 1).length > LONG.lines;
}

/** @param {string} text @param {Way} way */
function shortened(text, way) {
  const head = cut(text, 0, Math.min(HEAD, endOfLine(text, 20)));
  const tail = cut(text, Math.max(text.length - TAIL, startOfLine(text, 10), head.length), text.length);
  const left = text.length - head.length - tail.length;
  const gap = h("div", { class: "gap", t: "value.gap", params: { count: left } });
  return [...visibleNodes(head, way), ...(left > 0 ? [gap] : []), ...visibleNodes(tail, way)];
}

/** @param {string} text @param {number} lines */
function endOfLine(text, lines) {
  let index = -1;
  for (let line = 0; line < lines; line += 1) {
    index = text.indexOf("\n", index + 1);
    if (index < 0) return text.length;
  }
  return index;
}

/** @param {string} text @param {number} lines */
function startOfLine(text, lines) {
  let index = text.length;
  for (let line = 0; line < lines; line += 1) {
    index = text.lastIndexOf("\n", index - 1);
    if (index <= 0) return 0;
  }
  return index;
}

/** Slice without cutting a character in two. @param {string} text @param {number} from @param {number} to */
function cut(text, from, to) {
  const low = /[\udc00-\udfff]/;
  const shift = (/** @type {number} */ at) => (at < text.length && low.test(text[at]) ? at + 1 : at);
  return text.slice(shift(from), shift(to));
}

/**
 * The arguments of a call, one by one.
 *
 * @param {Record<string, any>} args
 */
export function argumentList(args) {
  const entries = Object.entries(args);
  if (!entries.length) return h("p", { class: "muted", t: "value.noArguments" });
  const list = h("dl", { class: "arguments" });
  for (const [key, value] of entries) {
    list.append(h("div", {}, h("dt", {}, ...oneLine(key)), h("dd", {}, valueBlock(value))));
  }
  return list;
}

/** @param {any} value */
function valueBlock(value) {
  if (typeof value === "string") return textBlock(value);
  const block = textBlock(writeJson(value, 2), "json");
  block.classList.add("json");
  block.dataset.kind = kindOf(value);
  return block;
}

/**
 * A few words about arguments, for a line that can be opened.
 *
 * @param {Record<string, any>} args
 */
export function summary(args) {
  const words = Object.entries(args).map(([key, value]) => `${key}: ${writeJson(value)}`).join(", ");
  const size = words.length > 90 ? ` (${number(words.length)} ${t("value.characters")})` : "";
  return [...oneLine(words, 90), size];
}
