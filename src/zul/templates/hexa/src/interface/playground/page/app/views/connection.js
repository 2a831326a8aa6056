/** Says that the connection is lost and when the next attempt is. */

import { byId, h } from "../dom.js";

/** @param {import("../session.js").Session} session */
export function connectionView(session) {
  const bar = byId("connection");
  const now = () => document.dispatchEvent(new Event("reconnect"));
  let shown = 0;
  const update = () => {
    const attempt = session.lost?.attempt ?? 0;
    if (attempt === shown) return;
    shown = attempt;
    bar.hidden = !attempt;
    if (!attempt) return;
    const button = h("button", { type: "button", class: "button small", t: "connection.now", on: { click: now } });
    bar.replaceChildren(h("span", { t: "connection.lost", params: { attempt } }), button);
  };
  return { update };
}
