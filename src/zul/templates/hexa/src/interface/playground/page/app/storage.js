/** What the browser keeps. Storage may be full, switched off or spoilt; the page works without. */

const PREFIX = "zul.playground.";

/**
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @param {Storage} [storage]
 * @returns {T | any}
 */
export function load(name, otherwise, storage = local()) {
  try {
    const text = storage?.getItem(PREFIX + name);
    return text ? JSON.parse(text) : otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} name
 * @param {any} value `null` removes it
 * @param {Storage} [storage]
 */
export function save(name, value, storage = local()) {
  try {
    if (value === null) storage?.removeItem(PREFIX + name);
    else storage?.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}

/** For what belongs to one tab. */
export function ofThisTab() {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}

function local() {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
