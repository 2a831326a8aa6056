/** What a person decided, as the conversation remembers it. */

import { h } from "../dom.js";
import { oneLine } from "../visible.js";

/** @param {{ name: string, decision: any }[]} decisions */
export function decisionLine(decisions) {
  const list = h("ul", { class: "decided" });
  for (const { name, decision } of decisions) {
    list.append(
      h(
        "li",
        { data: { decision: decision.type } },
        h("span", { class: "verdict", t: `decided.${decision.type}` }),
        " ",
        h("code", {}, ...oneLine(name, 60)),
        decision.message ? h("span", { class: "muted" }, " · ", ...oneLine(decision.message)) : null,
      ),
    );
  }
  return list;
}
