/**
 * Finds what a tool's JSON schema does not allow about arguments. Wrong ones would use up the review
 * on the service. What a schema says in words that are unknown here is left to the service.
 */

import { kindOf, sameJson, toNumber, writeJson } from "./json.js";
import { follow } from "./schema.js";

/**
 * @typedef {object} SchemaFault
 * @property {string[]} path to the value, from the arguments on
 * @property {string} key of the text that says what is wrong
 * @property {Record<string, string>} params
 * @property {string[]} [types] what would be right, when the type is wrong
 *
 * @typedef {{ root: any, path: string[], depth: number }} Place
 */

const DEEPEST = 24;
const MOST_CHOICES = 12;
const WRONG_TYPE = "schema.type";
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

const isWhole = (/** @type {any} */ value) => kindOf(value) === "number" && Number.isInteger(toNumber(value));
const lengthOf = (/** @type {any} */ value) => [...value].length;

/** @type {[string, string, (value: any, limit: number) => boolean][]} the word, whom it concerns, what is right */
const LIMITS = [
  ["minimum", "number", (value, limit) => toNumber(value) >= limit],
  ["maximum", "number", (value, limit) => toNumber(value) <= limit],
  ["exclusiveMinimum", "number", (value, limit) => toNumber(value) > limit],
  ["exclusiveMaximum", "number", (value, limit) => toNumber(value) < limit],
  ["minLength", "string", (value, limit) => lengthOf(value) >= limit],
  ["maxLength", "string", (value, limit) => lengthOf(value) <= limit],
  ["minItems", "array", (value, limit) => lengthOf(value) >= limit],
  ["maxItems", "array", (value, limit) => lengthOf(value) <= limit],
];

/**
 * @param {any} parameters the tool's schema; without one nothing is wrong
 * @param {Record<string, any>} args
 * @returns {SchemaFault[]}
 */
export function faultsIn(parameters, args) {
  return check(args, parameters, { root: parameters, path: [], depth: 0 });
}

/** @param {any} value @param {any} schema @param {Place} place @returns {SchemaFault[]} */
function check(value, schema, { root, path, depth }) {
  const known = follow(schema, root);
  const place = { root, path, depth: depth + 1 };
  if (known === false) return [fault(place, "schema.unknown")];
  if (kindOf(known) !== "object" || depth > DEEPEST) return [];
  const types = known.type === undefined ? [] : [known.type].flat();
  if (types.length && !types.some((/** @type {string} */ type) => isOfType(value, type))) return [{ ...fault(place, WRONG_TYPE), types }];
  const rules = [checkChoices, checkLimits, checkMembers, checkElements, checkCombined];
  return rules.flatMap((rule) => rule(value, known, place));
}

/** @param {any} value @param {string} type */
function isOfType(value, type) {
  if (!TYPES.has(type)) return true;
  return type === "integer" ? isWhole(value) : kindOf(value) === type;
}

/** @param {any} value @param {any} schema @param {Place} place */
function checkChoices(value, schema, place) {
  const choices = Array.isArray(schema.enum) ? schema.enum : Object.hasOwn(schema, "const") ? [schema.const] : null;
  if (!choices || choices.some((/** @type {any} */ choice) => isSame(choice, value))) return [];
  const shown = choices.slice(0, MOST_CHOICES).map((/** @type {any} */ choice) => writeJson(choice)).join(", ");
  return [fault(place, "schema.choice", { choices: choices.length > MOST_CHOICES ? `${shown}, …` : shown })];
}

/** @param {any} one @param {any} other */
function isSame(one, other) {
  if (kindOf(one) === "number" && kindOf(other) === "number") return toNumber(one) === toNumber(other);
  return sameJson(one, other);
}

/** @param {any} value @param {any} schema @param {Place} place */
function checkLimits(value, schema, place) {
  return LIMITS.filter(([word, kind, fits]) => kindOf(schema[word]) === "number" && kindOf(value) === kind && !fits(value, toNumber(schema[word])))
    .map(([word]) => fault(place, `schema.${word}`, { limit: writeJson(schema[word]) }));
}

/** @param {any} value @param {any} schema @param {Place} place */
function checkMembers(value, schema, place) {
  if (kindOf(value) !== "object") return [];
  const properties = schema.properties ?? {};
  const others = schema.patternProperties ? true : schema.additionalProperties;
  const missing = (schema.required ?? []).filter((/** @type {string} */ key) => !Object.hasOwn(value, key));
  return [
    ...missing.map((/** @type {string} */ key) => fault(inside(place, key), "schema.required")),
    ...Object.entries(value).flatMap(([key, member]) => check(member, Object.hasOwn(properties, key) ? properties[key] : others, inside(place, key))),
  ];
}

/** @param {any} value @param {any} schema @param {Place} place */
function checkElements(value, schema, place) {
  if (kindOf(value) !== "array") return [];
  const first = schema.prefixItems ?? [];
  return value.flatMap((/** @type {any} */ element, /** @type {number} */ index) => check(element, index < first.length ? first[index] : schema.items, inside(place, String(index + 1))));
}

/** @param {any} value @param {any} schema @param {Place} place */
function checkCombined(value, schema, place) {
  const all = (schema.allOf ?? []).flatMap((/** @type {any} */ part) => check(value, part, place));
  return [...all, ...nearest(value, schema.anyOf, place), ...nearest(value, schema.oneOf, place)];
}

/** What is wrong with the alternative that fits best; none when one fits. @param {any} value @param {any[] | undefined} options @param {Place} place */
function nearest(value, options, place) {
  if (!options?.length) return [];
  const found = options.map((option) => check(value, option, place));
  if (found.some((faults) => !faults.length)) return [];
  const isOfWrongType = (/** @type {SchemaFault[]} */ [one]) => one.key === WRONG_TYPE && one.path.length === place.path.length;
  const best = found.find((faults) => !isOfWrongType(faults));
  return best ?? [{ ...fault(place, WRONG_TYPE), types: [...new Set(found.flatMap(([one]) => one.types ?? []))] }];
}

/** @param {Place} place @param {string} key @returns {Place} */
function inside(place, key) {
  return { ...place, path: [...place.path, key] };
}

/** @param {Place} place @param {string} key @param {Record<string, string>} [params] @returns {SchemaFault} */
function fault({ path }, key, params = {}) {
  return { path, key, params };
}
