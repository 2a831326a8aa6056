/** The answer of the agent, also while it grows. */

import { h } from "../dom.js";
import { sentence, textBlock, visibleNodes } from "../visible.js";

export function answerText() {
  const content = h("div", { class: "answer-text" });
  const element = h("div", { class: "answer", hidden: true }, h("h2", { class: "visually-hidden", t: "agent" }), content);
  /** @type {string | null} */
  let shown = null;
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
    if (growing) grow(content, text, shown ?? "");
    else content.replaceChildren(text.length > 20_000 ? textBlock(text, "prose") : h("div", { class: "text" }, ...sentence(text, text.length)));
    shown = text;
  };
  return { element, update };
}

/** @param {HTMLElement} content @param {string} text @param {string} shown */
function grow(content, text, shown) {
  let block = content.firstElementChild;
  if (!block || !text.startsWith(shown)) {
    block = h("div", { class: "text" });
    content.replaceChildren(block);
    shown = "";
  }
  if (text.length > shown.length) block.append(...visibleNodes(text.slice(shown.length), "prose"));
}
