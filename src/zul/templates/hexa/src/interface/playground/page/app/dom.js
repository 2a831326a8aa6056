/** Makes elements. Text becomes text nodes: nothing on this page is ever parsed as markup. */

import { translate } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, any>} Properties
 *   `t` is the key of a translated text, `tLabel` of an accessible name, `tTitle` of a tooltip;
 *   `params` fills them in; `on` holds listeners; `data` the dataset; the rest are attributes,
 *   `false` and `null` left out.
 */

/**
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/**
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** @type {Record<string, (element: any, value: any, properties: Properties) => void>} */
const SPECIAL = {
  t: (element, key, { params }) => translate(element, "text", key, params),
  tLabel: (element, key, { params }) => translate(element, "label", key, params),
  tTitle: (element, key, { params }) => translate(element, "title", key, params),
  params: () => {},
  data: (element, values) => Object.assign(element.dataset, values),
  on: (element, listeners) => {
    for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
  },
};

/**
 * @template {Element} T
 * @param {T} element
 * @param {Properties} properties
 * @param {Child[]} children
 * @returns {T}
 */
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (Object.hasOwn(SPECIAL, name)) SPECIAL[name](element, value, properties);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child || child === "")));
  return element;
}

/**
 * Bring the children of `parent` in line with `items`, keeping the elements of known keys.
 *
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => { element: Element, update: (item: T) => void }} create
 */
export function reconcile(parent, items, keyOf, create) {
  /** @type {Map<string, { element: Element, update: (item: T) => void }>} */
  const known = views.get(parent) ?? new Map();
  views.set(parent, known);
  const wanted = new Set();
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    wanted.add(key);
    const view = known.get(key) ?? create(item);
    known.set(key, view);
    view.update(item);
    if (view.element === place) place = place.nextElementSibling;
    else parent.insertBefore(view.element, place);
  }
  for (const [key, view] of known) {
    if (wanted.has(key)) continue;
    view.element.remove();
    known.delete(key);
  }
}

/** @type {WeakMap<Element, Map<string, any>>} */
const views = new WeakMap();

/**
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/** @param {string} path drawn in a box of 16 by 16 @param {string} [name] */
export function icon(path, name = "icon") {
  return svg("svg", { class: name, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));
}
