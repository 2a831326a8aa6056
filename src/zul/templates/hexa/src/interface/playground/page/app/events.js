/** Reads server-sent events from a response, and notices when it falls silent. */

import { parseJson } from "./json.js";

/** @typedef {{ id: number, type: string, data: any }} StreamEvent */

/** The service sends a sign of life every 15 seconds. */
const SILENCE_MS = 40_000;

/**
 * @param {Response} response
 * @returns {AsyncGenerator<StreamEvent>}
 */
export async function* eventsOf(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await withinReason(reader.read());
      if (done) return;
      const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function withinReason(promise) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  /** @type {Promise<never>} */
  const silence = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TypeError("silence")), SILENCE_MS);
  });
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer));
}

/**
 * @param {string} block
 * @returns {StreamEvent | null}
 */
function parseBlock(block) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name) fields[name] = name === "data" && fields.data ? `${fields.data}\n${value}` : value;
  }
  if (!fields.event || !fields.data) return null;
  return { id: Number(fields.id ?? 0), type: fields.event, data: parseJson(fields.data) };
}
