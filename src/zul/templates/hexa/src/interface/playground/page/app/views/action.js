/** One action that waits: what would happen, and what a person decides about it. */

import { dangersIn } from "../characters.js";
import { byId, h } from "../dom.js";
import { typeJson } from "../draft.js";
import { writeJson } from "../json.js";
import { argumentList, oneLine, sentence } from "../visible.js";
import { diffView } from "./diff.js";
import { argumentsForm } from "./form.js";
import { jsonView } from "./json-view.js";

/** @typedef {import("../draft.js").Draft} Draft */

/** The service takes no longer name of a tool. */
const LONGEST_NAME = 128;
const MARGIN = 12;
const KEYS = { approve: "a", edit: "e", reject: "r" };

/**
 * @param {{
 *   action: import("../draft.js").Action, allowed: string[], draft: Draft,
 *   index: number, count: number, changed: () => void,
 * }} options
 */
export function actionCard({ action, allowed, draft, index, count, changed }) {
  const detail = h("div", { class: "action-detail" });
  const title = `action-${index}-title`;
  const choices = h("fieldset", { class: "choices" }, h("legend", { class: "visually-hidden", t: "action.decision", params: { name: action.name } }));
  /** @param {string} decision */
  const decide = (decision) => {
    draft.decision = /** @type {Draft["decision"]} */ (decision);
    element.dataset.decision = decision;
    drawDetail(detail, { action, draft, changed });
    changed();
    reveal(choices, detail);
  };
  for (const decision of ["approve", "edit", "reject"]) {
    if (!allowed.includes(decision)) continue;
    const radio = h("input", { type: "radio", name: `decision-${index}`, value: decision, on: { change: () => decide(decision) } });
    /** @type {HTMLInputElement} */ (radio).checked = draft.decision === decision;
    choices.append(h("label", { class: "choice", data: { decision } }, radio, h("span", { t: `action.${decision}` })));
  }
  const element = h(
    "li",
    { class: "action", "aria-labelledby": title, tabindex: "-1", data: { decision: draft.decision } },
    h(
      "div",
      { class: "action-head" },
      h("h3", { id: title }, count > 1 ? h("span", { class: "ordinal" }, `${index + 1}/${count}`) : null, h("code", {}, ...oneLine(action.name, LONGEST_NAME))),
      h("p", { class: "muted" }, ...descriptionOf(action)),
    ),
    warning(action),
    argumentList(action.args),
    choices,
    detail,
  );
  element.addEventListener("keydown", (event) => pick(event, allowed, choices));
  drawDetail(detail, { action, draft, changed });
  return { element, approve: () => pickRadio(choices, "approve") };
}

/** The service's standard sentence in the language of the page; any other as it came. @param {import("../draft.js").Action} action */
function descriptionOf({ name, description }) {
  if (description !== `Tool \`${name}\` menunggu persetujuan`) return sentence(description);
  return ["Tool ", h("code", {}, ...oneLine(name, LONGEST_NAME)), " ", h("span", { t: "action.waits" })];
}

/**
 * Scroll until `detail` is above the buttons that stick to the end of the card; when it is too long
 * for that, until `choices` are on top.
 *
 * @param {Element} choices
 * @param {Element} detail
 */
function reveal(choices, detail) {
  const scroller = byId("conversation");
  const foot = detail.closest(".review")?.querySelector(".review-foot");
  if (!foot || !detail.firstChild) return;
  const covered = detail.getBoundingClientRect().bottom + MARGIN - foot.getBoundingClientRect().top;
  const room = choices.getBoundingClientRect().top - MARGIN - scroller.getBoundingClientRect().top;
  if (covered > 0) scroller.scrollTop += Math.min(covered, Math.max(room, 0));
}

/** Single letters count only inside the card and never while something is typed. @param {KeyboardEvent} event @param {string[]} allowed @param {Element} choices */
function pick(event, allowed, choices) {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("textarea, select, input:not([type=radio])");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = Object.entries(KEYS).find(([decision, key]) => key === event.key.toLowerCase() && allowed.includes(decision));
  if (!found) return;
  event.preventDefault();
  pickRadio(choices, found[0]);
}

/** @param {Element} choices @param {string} decision */
function pickRadio(choices, decision) {
  const radio = /** @type {HTMLInputElement | null} */ (choices.querySelector(`input[value=${decision}]`));
  if (!radio || radio.disabled) return;
  radio.focus();
  radio.click();
}

/** @param {import("../draft.js").Action} action */
function warning(action) {
  const dangers = dangersIn([action.name, action.args]);
  if (!dangers.size) return null;
  const list = h("ul", {}, ...[...dangers].map((danger) => h("li", { t: `danger.${danger}` })));
  return h("div", { class: "warning", role: "note" }, h("strong", { t: "danger.title" }), list);
}

/**
 * @param {Element} detail
 * @param {{ action: import("../draft.js").Action, draft: Draft, changed: () => void }} options
 */
function drawDetail(detail, { action, draft, changed }) {
  if (draft.decision === "edit") detail.replaceChildren(editor(action, draft, changed));
  else if (draft.decision === "reject") detail.replaceChildren(reasonField(draft, changed));
  else detail.replaceChildren();
}

/** @param {Draft} draft @param {() => void} changed */
function reasonField(draft, changed) {
  const area = h("textarea", { rows: "2", class: "reason" });
  const field = /** @type {HTMLTextAreaElement} */ (area);
  field.value = draft.reason;
  field.addEventListener("input", () => {
    draft.reason = field.value;
    changed();
  });
  return h("label", { class: "field" }, h("span", { class: "label", t: "action.reason" }), area);
}

/**
 * @param {import("../draft.js").Action} action
 * @param {Draft} draft
 * @param {() => void} changed
 */
function editor(action, draft, changed) {
  const place = h("div", { class: "editor-view" });
  const change = h("div", { class: "change" });
  const showChange = () => {
    const diff = diffView(action.args, draft.args);
    change.replaceChildren(h("h4", { t: "action.change" }), diff ?? h("p", { class: "muted", t: "diff.none" }));
  };
  const onChange = () => {
    showChange();
    changed();
  };
  const tabs = h("div", { class: "switch", role: "group", tLabel: "action.view" });
  /** @param {"form" | "json"} view */
  const show = (view) => {
    draft.view = view;
    place.replaceChildren(view === "form" ? argumentsForm(draft, onChange) : jsonView(draft, onChange));
    for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.getAttribute("value") === view));
    changed();
  };
  for (const view of /** @type {const} */ (["form", "json"])) {
    tabs.append(h("button", { type: "button", value: view, t: `action.view.${view}`, on: { click: () => {
      // A form cannot show what is no object; the JSON view says what to mend first.
      if (view === "form" && draft.faults.has("")) return;
      if (view === "json") typeJson(draft, writeJson(draft.args, 2));
      show(view);
    } } }));
  }
  show(draft.view);
  showChange();
  return h("div", { class: "editor" }, tabs, place, change);
}
