/** On narrow screens the sides are drawers: one at a time, closed by Escape or a touch beside it. */

import { byId } from "../dom.js";

/** Below these widths a side is a drawer; the style sheet has the same numbers. */
const NARROW = { sidebar: window.matchMedia("(max-width: 860px)"), inspector: window.matchMedia("(max-width: 1180px)") };

/** @typedef {keyof typeof NARROW} Side */

/** @type {Side | null} */
let open = null;

/** @param {Side | null} side */
function show(side) {
  const before = open;
  open = side;
  for (const name of /** @type {Side[]} */ (Object.keys(NARROW))) {
    const element = byId(name);
    const isDrawer = NARROW[name].matches;
    element.classList.toggle("open", name === side);
    element.inert = isDrawer && name !== side;
    byId(`open-${name}`).setAttribute("aria-expanded", String(name === side));
  }
  byId("main").inert = side !== null;
  byId("backdrop").hidden = side === null;
  if (side) byId(`close-${side}`).focus();
  else if (before) byId(`open-${before}`).focus();
}

export function closeDrawers() {
  if (open) show(null);
}

export function startDrawers() {
  for (const name of /** @type {Side[]} */ (Object.keys(NARROW))) {
    byId(`open-${name}`).addEventListener("click", () => show(name));
    byId(`close-${name}`).addEventListener("click", () => show(null));
    NARROW[name].addEventListener("change", () => show(null));
  }
  byId("backdrop").addEventListener("click", () => show(null));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeDrawers();
  });
  show(null);
}
