/** What a person is about to decide on one action. A reload of the tab does not lose it. */

import { faultsIn } from "./check.js";
import { parseJson, readArguments, writeJson } from "./json.js";
import { load, ofThisTab, save } from "./storage.js";

/**
 * @typedef {{ key: string, params: Record<string, string> }} Fault
 *
 * @typedef {object} Draft
 * @property {"" | "approve" | "edit" | "reject"} decision
 * @property {any} parameters the schema of the tool, as far as the page has it
 * @property {Record<string, any>} args what an edit would run; the last that could be read
 * @property {"form" | "json"} view
 * @property {string} json the text of the JSON view
 * @property {Map<string, Fault>} faults what could not be read, by field; the JSON view's is under ""
 * @property {string} reason
 *
 * @typedef {{ name: string, args: Record<string, any>, description: string }} Action
 */

/** @param {Action} action @param {any} parameters @returns {Draft} */
function newDraft(action, parameters) {
  return { decision: "", parameters, args: action.args, view: "form", json: "", faults: new Map(), reason: "" };
}

/**
 * @param {Draft} draft
 * @param {Action} action
 */
export function decisionOf(draft, action) {
  if (draft.decision === "edit") return { type: "edit", edited_action: { name: action.name, args: draft.args } };
  if (draft.decision === "reject" && draft.reason.trim()) return { type: "reject", message: draft.reason };
  return { type: draft.decision };
}

/** Whether it could be sent as it stands. @param {Draft} draft */
export function isSound(draft) {
  return draft.decision !== "edit" || (draft.faults.size === 0 && misfits(draft).length === 0);
}

/** What of the edited arguments the tool would not take. @param {Draft} draft */
export function misfits(draft) {
  return faultsIn(draft.parameters, draft.args);
}

/** Take what was typed as JSON; when it is wrong, say how and keep the last arguments that could be read. @param {Draft} draft @param {string} text */
export function typeJson(draft, text) {
  draft.json = text;
  draft.faults.clear();
  const read = readArguments(text);
  if ("args" in read) draft.args = read.args;
  else draft.faults.set("", { key: read.fault, params: read.params });
}

/** @param {string} reviewId @param {Draft[]} drafts */
export function keepDrafts(reviewId, drafts) {
  const kept = drafts.map(({ decision, args, view, json, reason }) => ({ decision, args: writeJson(args), view, json, reason }));
  save("draft", { reviewId, kept }, ofThisTab());
}

export function dropDrafts() {
  save("draft", null, ofThisTab());
}

/**
 * @param {string} reviewId
 * @param {Action[]} actions
 * @param {any[]} schemas of the tools, in the order of the actions
 * @returns {Draft[]}
 */
export function draftsFor(reviewId, actions, schemas) {
  const stored = load("draft", null, ofThisTab());
  const fits = stored?.reviewId === reviewId && stored.kept?.length === actions.length;
  return actions.map((action, index) => {
    const draft = newDraft(action, schemas[index]);
    if (!fits) return draft;
    const { args, json, view, ...rest } = stored.kept[index];
    Object.assign(draft, rest, { args: parseJson(args), view });
    if (view === "json") typeJson(draft, json);
    return draft;
  });
}
