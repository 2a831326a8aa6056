/** Where the page is: `#/feature/thread`. */

/** @typedef {{ feature: string, thread: string }} Place */

/** @returns {Place} */
export function currentPlace() {
  const [feature = "", ...thread] = location.hash.replace(/^#\/?/, "").split("/");
  return { feature: decode(feature), thread: decode(thread.join("/")) };
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {string} feature
 * @param {string} [thread]
 */
export function hashOf(feature, thread = "") {
  return `#/${encodeURIComponent(feature)}${thread ? `/${encodeURIComponent(thread)}` : ""}`;
}

/**
 * Go there without a visit: the conversation on the screen has just got its id.
 *
 * @param {string} feature
 * @param {string} thread
 */
export function settleAt(feature, thread) {
  history.replaceState(null, "", hashOf(feature, thread));
}
