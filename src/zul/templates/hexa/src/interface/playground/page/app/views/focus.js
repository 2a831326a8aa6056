/** Moves the focus to what needs it next, and never away from where a person is typing. */

let before = "";

/**
 * @param {import("../session.js").Session} session
 * @param {{ focus: () => void }} composer
 */
export function focusAfter(session, composer) {
  const turn = session.last;
  const now = turn ? `${turn.id} ${turn.state} ${turn.review?.reviewId ?? ""}` : "";
  if (now === before) return;
  // A conversation that is only opened takes no focus; what comes of a person's own doing does.
  const arrived = before !== "" && turn?.request;
  before = now;
  if (!arrived || isTyping()) return;
  if (turn.state === "pending") focusOn("#review-title");
  else if (turn.state === "failed") focusOn(".turn:last-child .notice");
  else if (turn.state === "done" && isLost()) composer.focus();
}

/** @param {string} selector */
function focusOn(selector) {
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus();
}

/** The element that had the focus is gone. */
function isLost() {
  return document.activeElement === null || document.activeElement === document.body;
}

function isTyping() {
  const active = document.activeElement;
  return (active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement) && active.value !== "";
}
