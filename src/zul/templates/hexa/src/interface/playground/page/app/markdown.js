/**
 * Shows the Markdown of models: headings, lists, code and bold words. Everything else, links, images
 * and markup among it, stays the text that it is.
 */

import { h } from "./dom.js";
import { visibleNodes } from "./visible.js";

/** @typedef {{ kind: "code" | "heading" | "bullets" | "numbers" | "text", lines: string[] }} Block */

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/;
const BULLET = /^( *)[-*+] +(.*)$/;
const NUMBER = /^( *)(\d{1,9})[.)] +(.*)$/;
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

/** Spaces that put an item one step further to the right. */
const INDENT = 2;
const DEEPEST = 4;

/**
 * Cut a text into blocks, each of which becomes one element.
 *
 * @param {string} text
 * @returns {Block[]}
 */
export function blocksOf(text) {
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Block | null} */
  let open = null;
  let fence = "";
  for (const line of text.split("\n")) {
    if (fence) {
      if (line.trim() === fence) fence = "";
      else open?.lines.push(line);
      continue;
    }
    fence = FENCE.exec(line)?.[1] ?? "";
    const kind = fence ? "code" : kindOf(line);
    if (kind !== open?.kind || kind === "code" || kind === "heading") {
      open = kind ? { kind, lines: [] } : null;
      if (open) blocks.push(open);
    }
    if (!fence) open?.lines.push(line);
  }
  return blocks;
}

/** @param {string} line @returns {Block["kind"] | null} null between paragraphs */
function kindOf(line) {
  if (!line.trim()) return null;
  if (HEADING.test(line)) return "heading";
  if (BULLET.test(line)) return "bullets";
  return NUMBER.test(line) ? "numbers" : "text";
}

/** @param {Block} block */
export function blockView({ kind, lines }) {
  if (kind === "text") return h("div", { class: "text" }, ...inline(lines.join("\n")));
  if (kind === "heading") return h("h3", { class: "text" }, ...inline(HEADING.exec(lines[0])?.[1] ?? ""));
  // Whoever has no mouse must be able to scroll too.
  if (kind === "code") return h("pre", { class: "code-block", tabindex: "0" }, h("code", {}, ...visibleNodes(lines.join("\n"), "prose")));
  return kind === "bullets" ? h("ul", { class: "bullets" }, ...lines.map(bullet)) : h("ol", { class: "numbers" }, ...lines.map(numbered));
}

/** @param {string} line */
function bullet(line) {
  const [, indent, text] = BULLET.exec(line) ?? ["", "", line];
  return item(indent, text, {});
}

/** @param {string} line */
function numbered(line) {
  const [, indent, value, text] = NUMBER.exec(line) ?? ["", "", "1", line];
  return item(indent, text, { value });
}

/** @param {string} indent @param {string} text @param {Record<string, string>} properties */
function item(indent, text, properties) {
  const depth = Math.min(DEEPEST, Math.floor(indent.length / INDENT));
  return h("li", { ...properties, data: { depth } }, h("div", { class: "text" }, ...inline(text)));
}

/** @param {string} text */
function inline(text) {
  return text.split(INLINE).flatMap((part, index) => {
    if (index % 2 === 0) return visibleNodes(part, "prose");
    if (part.startsWith("`")) return [h("code", {}, ...visibleNodes(part.slice(1, -1), "prose"))];
    return [h("strong", {}, ...visibleNodes(part.slice(2, -2), "prose"))];
  });
}
