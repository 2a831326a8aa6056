/** Calls the playground's endpoints, which stand beside this page wherever it is mounted. */

import { parseJson, writeJson } from "./json.js";

const BASE = new URL("../../", import.meta.url);

/** A request that the service refused, or that never reached it. */
export class ApiError extends Error {
  /**
   * @param {number} status 0 when there was no answer
   * @param {string} detail
   * @param {{ code?: string, requestId?: string }} [more]
   */
  constructor(status, detail, { code = "", requestId = "" } = {}) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.code = code;
    this.requestId = requestId;
  }
}

/**
 * @param {string} path below `/playground/`
 * @param {Record<string, string>} [query]
 */
function address(path, query = {}) {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Where a thread is found. A browser makes `..` a step upwards, however it is written. @param {string} id */
function threadPath(id) {
  if (id === "." || id === "..") throw new ApiError(404, "");
  return `threads/${encodeURIComponent(id)}`;
}

/**
 * @param {URL} url
 * @param {RequestInit} [options]
 */
async function call(url, options) {
  let response;
  try {
    response = await fetch(url, { cache: "no-store", ...options });
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") throw error;
    throw new ApiError(0, "");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** @param {Response} response */
async function refusal(response) {
  const requestId = response.headers.get("X-Request-ID") ?? "";
  try {
    const body = parseJson(await response.text());
    return new ApiError(response.status, detailOf(body.detail), {
      code: body.code,
      requestId: body.request_id ?? requestId,
    });
  } catch {
    return new ApiError(response.status, response.statusText, { requestId });
  }
}

/** A text, or FastAPI's list of what is wrong with a body. @param {any} detail */
function detailOf(detail) {
  if (!Array.isArray(detail)) return String(detail ?? "");
  return detail.map((fault) => `${(fault.loc ?? []).join(".")}: ${fault.msg}`).join("\n");
}

/** @param {URL} url */
async function read(url) {
  return parseJson(await (await call(url)).text());
}

/** @returns {Promise<{ name: string, description: string, examples: string[] }[]>} */
export const listFeatures = () => read(address("features"));

/** @param {string} feature */
export const getGraph = (feature) => read(address("graph", { feature }));

/** @param {string} feature */
export const listTools = (feature) => read(address("tools", { feature }));

/** @param {string} feature @param {string} thread */
export const getThread = async (feature, thread) => read(address(threadPath(thread), { feature }));

/** @param {string} feature @param {string} thread */
export async function eraseThread(feature, thread) {
  await call(address(threadPath(thread), { feature }), { method: "DELETE" });
}

/**
 * Ask for a turn. The same key gets the same turn, however often it is asked for.
 *
 * @param {string} path `messages` or `resume`
 * @param {Record<string, any>} body
 * @param {string} key
 * @param {AbortSignal} signal
 */
export function startRun(path, body, key, signal) {
  return call(address(`${path}/stream`), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: writeJson(body),
    signal,
  });
}

/**
 * @param {string} feature
 * @param {string} run
 * @param {number} after the number of the last event received
 * @param {AbortSignal} signal
 */
export function followRun(feature, run, after, signal) {
  return call(address(`runs/${encodeURIComponent(run)}/stream`, { feature }), {
    headers: { "Last-Event-ID": String(after) },
    signal,
  });
}

/** 32 hexadecimal characters, as the service makes them. Works without a secure context too. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
