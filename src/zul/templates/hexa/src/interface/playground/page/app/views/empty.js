/** What an empty conversation offers. */

import { h } from "../dom.js";
import { serviceText } from "../i18n.js";

/**
 * @param {{ name: string, description: string, examples: string[] }} feature
 * @param {(example: string) => void} use
 */
export function emptyState(feature, use) {
  const list = h("ul", { class: "examples", "aria-labelledby": "examples-title" });
  for (const example of feature.examples) {
    const start = () => use(serviceText(example));
    list.append(h("li", {}, h("button", { type: "button", class: "chip", t: `service:${example}`, on: { click: start } })));
  }
  return h(
    "div",
    { class: "empty-state" },
    h("h2", { t: "empty.title", params: { feature: feature.name } }),
    h("p", { t: "empty.text" }),
    feature.examples.length ? h("h3", { id: "examples-title", t: "empty.examples" }) : null,
    list,
  );
}
