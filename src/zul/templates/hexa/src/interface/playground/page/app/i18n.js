/** The languages of the page. Elements remember their texts, so a switch changes them in place. */

import { ENGLISH } from "./texts/en.js";
import { INDONESIAN } from "./texts/id.js";
import { load, save } from "./storage.js";

/** @typedef {Record<string, string | number>} Params */

/** @type {Record<string, Record<string, string>>} */
const TEXTS = { id: INDONESIAN, en: ENGLISH };

export const LANGUAGES = ["id", "en"];

let language = firstLanguage();

function firstLanguage() {
  const chosen = load("language", null);
  if (typeof chosen === "string" && Object.hasOwn(TEXTS, chosen)) return chosen;
  return (navigator.language || "").toLowerCase().startsWith("en") ? "en" : "id";
}

export function currentLanguage() {
  return language;
}

/** @param {string} chosen */
export function useLanguage(chosen) {
  language = chosen;
  save("language", chosen);
  retranslate();
}

/**
 * @param {string} key
 * @param {Params} [params]
 */
export function t(key, params = {}) {
  const texts = TEXTS[language];
  const text = (params.count === 1 && texts[`${key}.one`]) || texts[key] || key.replace(/^service:/, "");
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? format(params[name]) : whole));
}

/** @param {string | number} value */
function format(value) {
  return typeof value === "number" ? number(value) : value;
}

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(language).format(value);
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(seconds)} s`;
}

/** @param {number} time milliseconds since the epoch */
export function moment(time) {
  const today = new Date(time).toDateString() === new Date().toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const parts = today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(language, parts).format(time);
}

/** Texts of the service that the page knows in English too. @param {string} text */
export function serviceText(text) {
  return t(`service:${text}`);
}

/** @type {Record<string, (element: Element, text: string) => void>} */
const PLACES = {
  text: (element, text) => { element.textContent = text; },
  label: (element, text) => element.setAttribute("aria-label", text),
  title: (element, text) => element.setAttribute("title", text),
  placeholder: (element, text) => element.setAttribute("placeholder", text),
};

/** @type {Record<string, string>} */
const ATTRIBUTES = {
  text: "data-t", label: "data-t-label", title: "data-t-title", placeholder: "data-t-placeholder",
};

/**
 * Give an element a text that follows the language.
 *
 * @param {Element} element
 * @param {string} place a key of `PLACES`
 * @param {string} key
 * @param {Params} [params]
 */
export function translate(element, place, key, params) {
  element.setAttribute(ATTRIBUTES[place], key);
  if (params) remembered.set(element, params);
  PLACES[place](element, t(key, params));
}

/** @type {WeakMap<Element, Params>} */
const remembered = new WeakMap();

/** Bring every text on the page into the current language. */
export function retranslate() {
  document.documentElement.lang = language;
  for (const [place, attribute] of Object.entries(ATTRIBUTES)) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      PLACES[place](element, t(element.getAttribute(attribute) ?? "", remembered.get(element)));
    }
  }
  document.dispatchEvent(new Event("languagechange"));
}
