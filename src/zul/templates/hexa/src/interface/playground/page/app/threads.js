/** The conversations that this browser knows, newest first, apart for each feature. */

import { load, save } from "./storage.js";

/**
 * @typedef {object} Thread
 * @property {string} id
 * @property {string} title
 * @property {number} at
 * @property {boolean} [waiting] an action waits for a decision
 * @property {LastTurn} [last]
 *
 * @typedef {object} LastTurn what is needed to show the last turn again with all its steps
 * @property {number} index its place among the turns
 * @property {string} message
 * @property {{ id: string, decisions?: { name: string, decision: any }[] }[]} runs
 */

const MOST = 200;

/** @param {string} feature */
const nameOf = (feature) => `threads.${feature}`;

/**
 * @param {string} feature
 * @returns {Thread[]}
 */
export function listThreads(feature) {
  const threads = load(nameOf(feature), []);
  return Array.isArray(threads) ? threads.filter((thread) => typeof thread?.id === "string") : [];
}

/** @param {string} feature @param {string} id */
export function findThread(feature, id) {
  return listThreads(feature).find((thread) => thread.id === id);
}

/**
 * Note a conversation, on top of the list when something was said in it.
 *
 * @param {string} feature
 * @param {string} id
 * @param {Partial<Thread>} changes
 */
export function noteThread(feature, id, changes) {
  const threads = listThreads(feature);
  const known = threads.find((thread) => thread.id === id);
  const thread = { id, title: "", at: Date.now(), ...known, ...changes };
  if (known && !("at" in changes)) threads[threads.indexOf(known)] = thread;
  else threads.splice(0, threads.length, thread, ...threads.filter((other) => other.id !== id));
  save(nameOf(feature), threads.slice(0, MOST));
  document.dispatchEvent(new Event("threads"));
}

/** @param {string} feature @param {string} id */
export function forgetThread(feature, id) {
  save(nameOf(feature), listThreads(feature).filter((thread) => thread.id !== id));
  document.dispatchEvent(new Event("threads"));
}
