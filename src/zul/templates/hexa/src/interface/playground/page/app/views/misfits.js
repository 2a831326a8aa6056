/** Says what a tool would not take, beside the field where it is. */

import { h } from "../dom.js";
import { oneLine } from "../visible.js";

/** @typedef {import("../check.js").SchemaFault} SchemaFault */

const MOST_LINES = 8;
const LONGEST_PATH = 80;

/**
 * @param {SchemaFault[]} faults
 * @param {number} [known] how much of each path the reader sees anyhow
 */
export function misfitLines(faults, known = 0) {
  const lines = faults.slice(0, MOST_LINES).map((fault) => line(fault, fault.path.slice(known).join(".")));
  const more = faults.length - lines.length;
  return more > 0 ? [...lines, h("p", { t: "schema.more", params: { count: more } })] : lines;
}

/** @param {SchemaFault} fault @param {string} path */
function line({ key, params, types = [] }, path) {
  const place = path ? [h("code", {}, ...oneLine(path, LONGEST_PATH)), ": "] : [];
  return h("p", {}, ...place, h("span", { t: key, params }), ...types.flatMap(typeName));
}

/** @param {string} type @param {number} index */
function typeName(type, index) {
  const name = h("span", { t: `schema.type.${type}` });
  return index ? [" ", h("span", { t: "schema.or" }), " ", name] : [" ", name];
}
