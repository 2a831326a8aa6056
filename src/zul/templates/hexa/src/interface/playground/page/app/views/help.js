/** The keyboard, explained. */

import { byId, h } from "../dom.js";

/** @type {[string[], string][]} */
const SHORTCUTS = [
  [["Enter"], "help.send"],
  [["Shift", "Enter"], "help.newline"],
  [["A"], "help.approve"],
  [["E"], "help.edit"],
  [["R"], "help.reject"],
  [["Ctrl", "Enter"], "help.submit"],
  [["Alt", "N"], "help.new"],
  [["Alt", "R"], "help.review"],
  [["Alt", "H"], "help.help"],
];

/** @param {{ newConversation: () => void, focusReview: () => void }} actions */
export function startHelp({ newConversation, focusReview }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const list = h("dl", { class: "shortcuts" });
  for (const [keys, key] of SHORTCUTS) {
    list.append(h("div", {}, h("dt", {}, ...keys.flatMap((name, index) => [index ? " + " : "", h("kbd", {}, name)])), h("dd", { t: key })));
  }
  const close = h("button", { type: "button", class: "button", t: "close", on: { click: () => dialog.close() } });
  dialog.append(h("h2", { id: "help-title", t: "help" }), h("p", { class: "muted", t: "help.text" }), list, close);
  byId("open-help").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    /** @type {Record<string, () => void>} by place on the keyboard: Alt changes the letter on some systems */
    const shortcuts = { KeyN: newConversation, KeyR: focusReview, KeyH: () => dialog.showModal() };
    if (!Object.hasOwn(shortcuts, event.code) || dialog.open) return;
    event.preventDefault();
    shortcuts[event.code]();
  });
}
