/** A form for the arguments of an action. */

import { dangersIn } from "../characters.js";
import { h } from "../dom.js";
import { parseJson, withMember, writeJson } from "../json.js";
import { fieldsOf, firstValue, readField } from "../schema.js";
import { oneLine, textBlock } from "../visible.js";

let made = 0;

/**
 * @param {import("../draft.js").Draft} draft
 * @param {any} parameters the tool's schema
 * @param {() => void} changed
 */
export function argumentsForm(draft, parameters, changed) {
  const element = h("div", { class: "form" });
  const draw = () => {
    const { fields, absent } = fieldsOf(parameters, draft.args);
    element.replaceChildren(...fields.map((field) => fieldRow(field, draft, changed, redraw)));
    if (absent.length) element.append(adders(absent, draft, redraw));
  };
  const redraw = () => {
    draw();
    changed();
  };
  draw();
  return element;
}

/**
 * @param {import("../schema.js").Field[]} fields
 * @param {import("../draft.js").Draft} draft
 * @param {() => void} redraw
 */
function adders(fields, draft, redraw) {
  const buttons = fields.map((field) =>
    h("button", { type: "button", class: "chip small", on: { click: () => {
      draft.args = withMember(draft.args, field.key, firstValue(field));
      redraw();
    } } }, "+ ", ...oneLine(field.key, 60)),
  );
  return h("div", { class: "adders" }, ...buttons);
}

/**
 * @param {import("../schema.js").Field} field
 * @param {import("../draft.js").Draft} draft
 * @param {() => void} changed
 * @param {() => void} redraw
 */
function fieldRow(field, draft, changed, redraw) {
  made += 1;
  const id = `field-${made}`;
  const input = control(field, draft.args[field.key], id);
  const fault = h("p", { class: "fault", id: `${id}-fault`, role: "alert" });
  const seen = h("div", { class: "seen" });
  const check = () => {
    const read = readField(field, input.value, parseJson);
    if ("fault" in read) {
      draft.faults.set(field.key, { key: read.fault, params: read.params });
      fault.replaceChildren(h("span", { t: read.fault, params: read.params }));
    } else {
      draft.faults.delete(field.key);
      fault.replaceChildren();
      draft.args = withMember(draft.args, field.key, read.value);
    }
    input.setAttribute("aria-invalid", String("fault" in read));
    showHidden(seen, input.value);
    changed();
  };
  input.addEventListener("input", check);
  showHidden(seen, input.value);
  const remove = field.required ? null : h("button", { type: "button", class: "link", t: "field.remove", on: { click: () => {
    draft.faults.delete(field.key);
    draft.args = withMember(draft.args, field.key, undefined);
    redraw();
  } } });
  return h(
    "div",
    { class: "field" },
    h("div", { class: "field-head" }, h("label", { for: id }, ...oneLine(field.key, 60)), h("span", { class: "muted", t: `field.kind.${field.kind}` }), remove),
    h("div", {}, input, fault, seen, field.about ? h("p", { class: "muted" }, ...oneLine(field.about, 200)) : null),
  );
}

/**
 * @param {import("../schema.js").Field} field
 * @param {any} value
 * @param {string} id
 * @returns {any}
 */
function control(field, value, id) {
  const common = { id, "aria-describedby": `${id}-fault`, dir: "auto", autocomplete: "off", spellcheck: "false" };
  if (field.kind === "choice") {
    return select(common, field.choices.map((choice, index) => [String(index), typeof choice === "string" ? choice : writeJson(choice)]), String(field.choices.indexOf(value)));
  }
  if (field.kind === "boolean") return select(common, [["true", "true"], ["false", "false"]], String(value));
  const text = typeof value === "string" && field.kind !== "json" ? value : writeJson(value, 2);
  if (field.kind === "lines" || field.kind === "json") {
    const rows = Math.min(12, Math.max(2, text.split("\n").length + 1));
    const area = h("textarea", { ...common, rows, class: field.kind === "json" ? "mono" : "" });
    /** @type {HTMLTextAreaElement} */ (area).value = text;
    return area;
  }
  const input = h("input", { ...common, type: "text", inputmode: field.kind === "line" ? "text" : "decimal" });
  /** @type {HTMLInputElement} */ (input).value = text;
  return input;
}

/** @param {Record<string, any>} common @param {string[][]} options @param {string} value */
function select(common, options, value) {
  const element = h("select", common, ...options.map(([key, label]) => h("option", { value: key }, label)));
  /** @type {HTMLSelectElement} */ (element).value = value;
  return element;
}

/** An input draws hidden characters as nothing; below it they are seen. @param {Element} place @param {string} text */
function showHidden(place, text) {
  place.replaceChildren(...(dangersIn(text).size ? [textBlock(text)] : []));
}
