/** JSON without loss: numbers that JavaScript cannot hold keep the digits they came with. */

/** @typedef {"null" | "boolean" | "number" | "string" | "array" | "object"} Kind */

/** @type {any} */
const Raw = JSON;

/**
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  return JSON.parse(text, /** @type {any} */ (keepDigits));
}

/**
 * @param {string} _
 * @param {any} value
 * @param {{ source?: string }} [context]
 */
function keepDigits(_, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || !Raw.rawJSON) return value;
  return String(value) === source ? value : Raw.rawJSON(source);
}

/** @param {any} value @returns {boolean} */
function isKeptNumber(value) {
  return Boolean(Raw.isRawJSON?.(value));
}

/** A number to count with, whatever digits it came with. @param {any} value */
export function toNumber(value) {
  return Number(isKeptNumber(value) ? value.rawJSON : value);
}

/**
 * @param {any} value
 * @returns {Kind}
 */
export function kindOf(value) {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (isKeptNumber(value)) return "number";
  return /** @type {Kind} */ (typeof value);
}

/**
 * @param {any} value
 * @param {number} [indent]
 * @returns {string}
 */
export function writeJson(value, indent = 0) {
  return JSON.stringify(value, null, indent) ?? "null";
}

/** @param {any} one @param {any} other */
export function sameJson(one, other) {
  return writeJson(one) === writeJson(other);
}

/**
 * Read what a person typed as the arguments of an action.
 *
 * @param {string} text
 * @returns {{ args: Record<string, any> } | { fault: string, params: Record<string, string> }}
 *   the key of a text that says what is wrong
 */
export function readArguments(text) {
  if (!text.trim()) return { fault: "json.empty", params: {} };
  let value;
  try {
    value = parseJson(text);
  } catch (error) {
    return { fault: "json.invalid", params: { reason: /** @type {Error} */ (error).message } };
  }
  const kind = kindOf(value);
  return kind === "object" ? { args: value } : { fault: `json.${kind}`, params: {} };
}

/**
 * A copy of `object` with one member changed, added, or left out when `value` is undefined.
 *
 * @param {Record<string, any>} object
 * @param {string} key
 * @param {any} value
 */
export function withMember(object, key, value) {
  const members = Object.entries(object).map(([name, old]) => [name, name === key ? value : old]);
  if (!Object.hasOwn(object, key)) members.push([key, value]);
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
