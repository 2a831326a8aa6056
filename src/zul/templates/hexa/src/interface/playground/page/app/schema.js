/** Makes the fields of a form from a tool's JSON schema and the arguments it was called with. */

import { kindOf } from "./json.js";

/**
 * @typedef {object} Field
 * @property {string} key
 * @property {"line" | "lines" | "number" | "integer" | "boolean" | "choice" | "json"} kind
 * @property {string} about
 * @property {boolean} required
 * @property {any[]} choices
 */

const MANY_LINES = /body|content|text|message|description|prompt|query|isi|pesan|catatan/i;
/** @type {Record<string, string>} the kind of value that a type of the schema allows */
const VALUES = { string: "string", number: "number", integer: "number", boolean: "boolean" };

/**
 * @param {any} parameters the schema of all arguments
 * @param {Record<string, any>} args
 * @returns {{ fields: Field[], absent: Field[] }} what has a value, and what might get one
 */
export function fieldsOf(parameters, args) {
  const properties = parameters?.properties ?? {};
  const required = new Set(parameters?.required ?? []);
  const keys = [...new Set([...Object.keys(properties), ...Object.keys(args)])];
  const all = keys.map((key) => {
    const schema = Object.hasOwn(properties, key) ? resolve(properties[key], parameters) : {};
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    return {
      key,
      ...kindFor(schema, value, key),
      about: String(schema.description ?? ""),
      required: required.has(key),
    };
  });
  const present = (/** @type {Field} */ field) => Object.hasOwn(args, field.key);
  return { fields: all.filter(present), absent: all.filter((field) => !present(field)) };
}

/** Look behind a reference and through "this or null". @param {any} schema @param {any} root @returns {any} */
function resolve(schema, root, depth = 0) {
  const known = follow(schema, root);
  if (depth > 8 || kindOf(known) !== "object") return {};
  const options = (known.anyOf ?? known.oneOf)?.filter((/** @type {any} */ option) => option?.type !== "null");
  if (options?.length === 1) return { ...without(known, "anyOf"), ...resolve(options[0], root, depth + 1) };
  return known;
}

/** What a reference stands for; a schema without one as it is. @param {any} schema @param {any} root @returns {any} */
export function follow(schema, root, depth = 0) {
  if (depth > 8 || typeof schema?.$ref !== "string") return schema;
  const target = schema.$ref.replace(/^#\//, "").split("/").reduce((/** @type {any} */ at, /** @type {string} */ step) => at?.[step], root);
  return { ...follow(target ?? {}, root, depth + 1), ...without(schema, "$ref") };
}

/** @param {any} object @param {string} key */
function without(object, key) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/**
 * @param {any} schema
 * @param {any} value
 * @param {string} key
 * @returns {Pick<Field, "kind" | "choices">}
 */
function kindFor(schema, value, key) {
  const kind = value === undefined ? null : kindOf(value);
  if (Array.isArray(schema.enum) && (kind === null || schema.enum.includes(value))) {
    return { kind: "choice", choices: schema.enum };
  }
  const type = Object.hasOwn(VALUES, schema.type ?? "") ? schema.type : kind;
  // What the model sent may not fit its own schema; it must still be shown as it is.
  if (kind !== null && VALUES[type] !== kind) return { kind: "json", choices: [] };
  if (type === "string") {
    const long = MANY_LINES.test(key) || /[\n\r]/.test(value ?? "") || (value ?? "").length > 80;
    return { kind: long ? "lines" : "line", choices: [] };
  }
  if (type === "number" || type === "integer" || type === "boolean") return { kind: type, choices: [] };
  return { kind: "json", choices: [] };
}

/** What a field starts with when it is added. @param {Field} field */
export function firstValue(field) {
  if (field.kind === "choice") return field.choices[0];
  if (field.kind === "number" || field.kind === "integer") return 0;
  if (field.kind === "boolean") return false;
  return field.kind === "json" ? null : "";
}

/**
 * Read what was typed into a field.
 *
 * @param {Field} field
 * @param {string} text
 * @param {(text: string) => any} parse
 * @returns {{ value: any } | { fault: string, params: Record<string, string> }}
 */
export function readField(field, text, parse) {
  if (field.kind === "line" || field.kind === "lines") return { value: text };
  if (field.kind === "choice") return { value: field.choices[Number(text)] };
  if (field.kind === "boolean") return { value: text === "true" };
  const typed = text.trim();
  if (field.kind === "json") {
    try {
      return { value: parse(typed) };
    } catch (error) {
      return { fault: "json.invalid", params: { reason: /** @type {Error} */ (error).message } };
    }
  }
  const pattern = field.kind === "integer" ? /^-?\d+$/ : /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
  if (!pattern.test(typed)) return { fault: `field.${field.kind}`, params: {} };
  return { value: parse(typed.replace(/^(-?)0+(?=\d)/, "$1")) };
}
