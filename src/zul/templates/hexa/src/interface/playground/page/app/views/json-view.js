/** The arguments of an action as one text. */

import { misfits, typeJson } from "../draft.js";
import { h } from "../dom.js";
import { writeJson } from "../json.js";
import { misfitLines } from "./misfits.js";

let made = 0;

/** @param {import("../draft.js").Draft} draft @param {() => void} changed */
export function jsonView(draft, changed) {
  made += 1;
  const id = `json-fault-${made}`;
  const area = h("textarea", { class: "mono json-view", rows: "10", spellcheck: "false", tLabel: "action.json", "aria-describedby": id });
  const field = /** @type {HTMLTextAreaElement} */ (area);
  const fault = h("div", { class: "fault", id, role: "alert" });
  const check = () => {
    typeJson(draft, field.value);
    const unread = draft.faults.get("");
    const lines = unread ? [h("p", { t: unread.key, params: unread.params })] : misfitLines(misfits(draft));
    fault.replaceChildren(...lines);
    field.setAttribute("aria-invalid", String(lines.length > 0));
    changed();
  };
  field.value = draft.json || writeJson(draft.args, 2);
  check();
  field.addEventListener("input", check);
  return h("div", {}, area, fault);
}
