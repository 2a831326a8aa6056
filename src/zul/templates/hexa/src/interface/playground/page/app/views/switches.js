/** Language and appearance. */

import { byId, h } from "../dom.js";
import { currentLanguage, LANGUAGES, useLanguage } from "../i18n.js";
import { load, save } from "../storage.js";

const THEMES = ["system", "light", "dark"];

/** @param {string} theme */
function useTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  save("theme", theme);
}

/**
 * @param {string} id
 * @param {string[]} values
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
function switchOf(id, values, chosen, choose) {
  const buttons = values.map((value) => h("button", { type: "button", value, t: `${id}.${value}` }));
  /** @param {string} value */
  const mark = (value) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.getAttribute("value") === value));
  };
  buttons.forEach((button, index) => button.addEventListener("click", () => {
    choose(values[index]);
    mark(values[index]);
  }));
  mark(chosen);
  byId(id).replaceChildren(...buttons);
}

export function startSwitches() {
  const theme = load("theme", "system");
  useTheme(THEMES.includes(theme) ? theme : "system");
  switchOf("language", LANGUAGES, currentLanguage(), useLanguage);
  switchOf("theme", THEMES, THEMES.includes(theme) ? theme : "system", useTheme);
}
