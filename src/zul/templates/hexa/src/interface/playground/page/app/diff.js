/** The difference between two texts, word by word. */

/** @typedef {{ kind: "same" | "old" | "new", text: string }} Part */

/** The most comparisons; larger texts are shown as replaced in one piece. */
const MOST_WORK = 400_000;

/**
 * @param {string} before
 * @param {string} after
 * @returns {Part[]}
 */
export function difference(before, after) {
  const old = wordsOf(before);
  const now = wordsOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const least = Math.min(old.length, now.length) - start;
  while (end < least && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const parts = [
    part("same", old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    part("same", old.slice(old.length - end)),
  ];
  return parts.filter(({ text }) => text);
}

/** @param {string} text */
function wordsOf(text) {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}

/** @param {Part["kind"]} kind @param {string[]} words @returns {Part} */
function part(kind, words) {
  return { kind, text: words.join("") };
}

/** @param {string[]} old @param {string[]} now @returns {Part[]} */
function middle(old, now) {
  if (old.length * now.length > MOST_WORK) return [part("old", old), part("new", now)];
  const common = lengths(old, now);
  /** @type {Part[]} */
  const parts = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      push(parts, "same", old[i]);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) {
      push(parts, "old", old[i]);
      i += 1;
    } else {
      push(parts, "new", now[j]);
      j += 1;
    }
  }
  return parts;
}

/** How much the rest from each pair of places has in common. @param {string[]} old @param {string[]} now */
function lengths(old, now) {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

/** @param {Part[]} parts @param {Part["kind"]} kind @param {string} text */
function push(parts, kind, text) {
  const last = parts.at(-1);
  if (last?.kind === kind) last.text += text;
  else parts.push({ kind, text });
}
