/** The answer of the agent, also while it grows. */

import { h } from "../dom.js";
import { blocksOf, blockView } from "../markdown.js";
import { textBlock } from "../visible.js";

/** From here on only the beginning and the end are shown at first. */
const LONG = 20_000;

export function answerText() {
  const content = h("div", { class: "answer-text" });
  const element = h("div", { class: "answer", hidden: true }, h("h2", { class: "visually-hidden", t: "agent" }), content);
  /** @type {string[]} what each element shows */
  let shown = [];
  let drawn = "";
  /**
   * @param {string | null} text
   * @param {boolean} growing
   */
  const update = (text, growing) => {
    element.hidden = text === null;
    element.classList.toggle("growing", growing);
    const state = `${growing} ${text}`;
    if (text === null || state === drawn) return;
    drawn = state;
    if (!growing && text.length > LONG) {
      content.replaceChildren(textBlock(text, "prose"));
      shown = [];
    } else shown = draw(content, blocksOf(text), shown);
  };
  return { element, update };
}

/**
 * Draw the blocks that are not drawn yet: of an answer that grows, the last ones.
 *
 * @param {Element} content
 * @param {import("../markdown.js").Block[]} blocks
 * @param {string[]} shown
 */
function draw(content, blocks, shown) {
  const wanted = blocks.map((block) => JSON.stringify(block));
  const changed = wanted.findIndex((block, index) => block !== shown[index]);
  const kept = changed < 0 ? wanted.length : changed;
  while (content.childElementCount > kept) content.lastElementChild?.remove();
  content.append(...blocks.slice(kept).map(blockView));
  return wanted;
}
