/** A form for the arguments of an action. */

import { dangersIn } from "../characters.js";
import { misfits } from "../draft.js";
import { h } from "../dom.js";
import { parseJson, withMember, writeJson } from "../json.js";
import { fieldsOf, firstValue, readField } from "../schema.js";
import { oneLine, textBlock } from "../visible.js";
import { misfitLines } from "./misfits.js";

let made = 0;

/**
 * @typedef {import("../draft.js").Draft} Draft
 * @typedef {import("../schema.js").Field} Field
 * @typedef {import("../check.js").SchemaFault} SchemaFault
 * @typedef {{ element: HTMLElement, input: HTMLElement, key: string, tell: (faults: SchemaFault[]) => void }} Row
 */

/** @param {Draft} draft @param {() => void} changed */
export function argumentsForm(draft, changed) {
  const element = h("div", { class: "form" });
  const others = h("div", { class: "fault", role: "alert" });
  /** @type {Row[]} */
  let rows = [];
  // What could not be read is not on the screen of a new form.
  draft.faults.clear();
  const tell = () => {
    const faults = misfits(draft);
    for (const row of rows) row.tell(faults.filter(({ path }) => path[0] === row.key));
    others.replaceChildren(...misfitLines(faults.filter(({ path }) => !rows.some(({ key }) => key === path[0]))));
    changed();
  };
  const draw = () => {
    const { fields, absent } = fieldsOf(draft.parameters, draft.args);
    const known = rows;
    rows = fields.map((field) => known.find(({ key }) => key === field.key) ?? fieldRow(field, draft, tell, remove));
    element.replaceChildren(...rows.map((row) => row.element), others, ...(absent.length ? [adders(absent, add)] : []));
    tell();
  };
  /** @param {Field} field */
  const add = (field) => {
    draft.args = withMember(draft.args, field.key, firstValue(field));
    draw();
    rows.find(({ key }) => key === field.key)?.input.focus();
  };
  /** @param {Field} field */
  const remove = ({ key }) => {
    draft.faults.delete(key);
    draft.args = withMember(draft.args, key, undefined);
    draw();
    const adder = [...element.querySelectorAll("button")].find((button) => button.value === key);
    (adder ?? rows[0]?.input)?.focus();
  };
  draw();
  return element;
}

/** @param {Field[]} fields @param {(field: Field) => void} add */
function adders(fields, add) {
  const buttons = fields.map((field) =>
    h("button", { type: "button", class: `chip small${field.required ? " missing" : ""}`, value: field.key, on: { click: () => add(field) } }, "+ ", ...oneLine(field.key, 60)),
  );
  return h("div", { class: "adders" }, ...buttons);
}

/**
 * @param {Field} field
 * @param {Draft} draft
 * @param {() => void} typed
 * @param {(field: Field) => void} remove
 * @returns {Row}
 */
function fieldRow(field, draft, typed, remove) {
  made += 1;
  const id = `field-${made}`;
  const input = control(field, draft.args[field.key], id);
  const fault = h("div", { class: "fault", id: `${id}-fault`, role: "alert" });
  const seen = h("div", { class: "seen" });
  input.addEventListener("input", () => {
    const read = readField(field, input.value, parseJson);
    if ("fault" in read) draft.faults.set(field.key, { key: read.fault, params: read.params });
    else {
      draft.faults.delete(field.key);
      draft.args = withMember(draft.args, field.key, read.value);
    }
    showHidden(seen, input.value);
    typed();
  });
  showHidden(seen, input.value);
  /** @param {SchemaFault[]} faults */
  const tell = (faults) => {
    const unread = draft.faults.get(field.key);
    const lines = unread ? [h("p", { t: unread.key, params: unread.params })] : misfitLines(faults, 1);
    fault.replaceChildren(...lines);
    input.setAttribute("aria-invalid", String(lines.length > 0));
  };
  const remover = field.required ? null : h("button", { type: "button", class: "link", t: "field.remove", on: { click: () => remove(field) } });
  const element = h(
    "div",
    { class: "field" },
    h("div", { class: "field-head" }, h("label", { for: id }, ...oneLine(field.key, 60)), h("span", { class: "muted", t: `field.kind.${field.kind}` }), remover),
    h("div", {}, input, fault, seen, field.about ? h("p", { class: "muted" }, ...oneLine(field.about, 200)) : null),
  );
  return { element, input, key: field.key, tell };
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
