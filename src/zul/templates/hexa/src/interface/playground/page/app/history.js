/** Rebuilds turns from a conversation as the service stores it. */

import { newCall, newTurn } from "./turn.js";

/**
 * @typedef {{ role: string, text: string, tool_calls: any[], name: string | null, tool_call_id: string | null, failed: boolean, rejected: boolean }} Message
 */

/**
 * @param {Message[]} messages
 * @returns {import("./turn.js").Turn[]}
 */
export function turnsOf(messages) {
  /** @type {import("./turn.js").Turn[]} */
  const turns = [];
  messages.forEach((message, index) => {
    if (message.role === "user" || !turns.length) {
      const turn = newTurn(message.role === "user" ? message.text : "");
      turn.state = "done";
      turns.push(turn);
    }
    if (message.role !== "user") add(turns[turns.length - 1], message, index);
  });
  return turns;
}

/**
 * @param {import("./turn.js").Turn} turn
 * @param {Message} message
 * @param {number} index
 */
function add(turn, message, index) {
  if (message.role === "tool") {
    const call = turn.items.find((item) => item.kind === "call" && item.id === message.tool_call_id && item.result === null);
    if (call?.kind !== "call") return;
    call.result = message.text;
    call.failed = message.failed;
    call.rejected = message.rejected;
    return;
  }
  if (message.text && !message.tool_calls.length) turn.answer = message.text;
  else if (message.text) {
    turn.items.push({ kind: "text", id: `stored-${index}`, text: message.text });
  }
  turn.items.push(...message.tool_calls.map((call) => newCall(call)));
}
