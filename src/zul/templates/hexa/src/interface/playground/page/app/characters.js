/** Finds the characters of a text that a person cannot see or would take for others. */

/**
 * @typedef {"bidi" | "invisible" | "control" | "space" | "private" | "lookalike" | "rtl"} Danger
 * @typedef {{ text: string, badge?: string, danger?: Danger, newline?: boolean }} Piece
 *   a stretch of text; with `badge`, what is shown in its place (or beside a lookalike)
 */

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const PRIVATE = /[\p{Co}\p{Cn}\p{Cs}]/u;
// Formats, and letters, marks and symbols that are drawn as nothing at all.
const INVISIBLE =
  /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{1d159}\u{e0100}-\u{e01ef}]/u;
const SPACE = /[^\S \n\t\r]/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// Emoji are joined and coloured by invisible characters; those are part of what is seen.
const EMOJI = /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*/uy;

const ALWAYS = [BIDI, CONTROL, PRIVATE, INVISIBLE, SPACE].map((kind) => kind.source).join("|");

/**
 * What counts as hidden. In a whole value also spaces at its ends, long gaps and piles of marks; in
 * a part of one its ends are no ends; in what is read as prose, lines and spaces are as they are.
 */
const HIDDEN = {
  value: new RegExp(`${ALWAYS}|^ +| +$| {20,}|\\p{M}{4,}`, "gu"),
  part: new RegExp(`${ALWAYS}|^ +$| {20,}|\\p{M}{4,}`, "gu"),
  prose: new RegExp(`(?!\n)(?:${ALWAYS}|\\p{M}{6,})`, "gu"),
};

/** Anything that needs a second look; most texts have nothing of it. */
const SUSPECT = new RegExp(`${HIDDEN.value.source}|[^\\x20-\\x7e\\u00a1-\\u024f]`, "u");

/** @type {Record<number, string>} */
const NAMES = {
  0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x09: "TAB", 0x0a: "LF", 0x0d: "CR", 0x1b: "ESC", 0x20: "SPACE",
  0x7f: "DEL", 0xa0: "NBSP", 0xad: "SHY", 0x61c: "ALM", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ",
  0x200e: "LRM", 0x200f: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF",
  0x202d: "LRO", 0x202e: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM",
};

/** @param {string} character */
function codeOf(character) {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase().padStart(4, "0");
  return NAMES[code] ? `U+${digits} ${NAMES[code]}` : `U+${digits}`;
}

/** A few spaces at the end of a text are shown too, but nobody has to be warned of them. @param {string} run */
function isHarmless(run) {
  return /^ {1,3}$/.test(run);
}

/** @param {string} character @returns {Danger} */
function dangerOf(character) {
  if (BIDI.test(character)) return "bidi";
  if (CONTROL.test(character)) return "control";
  if (PRIVATE.test(character)) return "private";
  if (SPACE.test(character) || character === " ") return "space";
  return "invisible";
}

/**
 * Split a text into what is shown as it is and what is shown by name.
 *
 * @param {string} text
 * @param {keyof typeof HIDDEN} [way]
 * @returns {Piece[]}
 */
export function piecesOf(text, way = "value") {
  if (!SUSPECT.test(text)) return text ? [{ text }] : [];
  /** @type {Piece[]} */
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN[way])) {
    if (match.index < from) continue;
    const emoji = emojiAround(text, match.index, from);
    if (emoji > match.index) continue;
    const upTo = endOfRun(text, match.index, match[0]);
    addPlain(pieces, text.slice(from, match.index));
    addHidden(pieces, text.slice(match.index, upTo), match[0]);
    from = upTo;
  }
  addPlain(pieces, text.slice(from));
  return pieces;
}

/**
 * Tell where the emoji ends that this character is inside of, or -1.
 *
 * @param {string} text
 * @param {number} index
 * @param {number} from
 */
function emojiAround(text, index, from) {
  if (!/[\ufe0f\u200d]/.test(text[index])) return -1;
  for (let start = index - 1; start >= Math.max(from, index - 24); start -= 1) {
    EMOJI.lastIndex = start;
    const match = EMOJI.exec(text);
    if (match && start + match[0].length > index) return start + match[0].length;
  }
  return -1;
}

/**
 * Repetitions of one character are shown once, with their number.
 *
 * @param {string} text
 * @param {number} start
 * @param {string} found
 */
function endOfRun(text, start, found) {
  let end = start + found.length;
  while (text.startsWith(found, end)) end += found.length;
  return end;
}

/** @param {Piece[]} pieces @param {string} text */
function addPlain(pieces, text) {
  if (text) pieces.push(...lookalikes(text));
}

/** @param {Piece[]} pieces @param {string} run @param {string} found */
function addHidden(pieces, run, found) {
  const lines = found === "\n" ? run.length : 0;
  if (lines && lines < 4) {
    pieces.push({ text: run, newline: true });
    return;
  }
  const first = String.fromCodePoint(found.codePointAt(0) ?? 0);
  const times = /^\p{M}{2,}/u.test(found) || found[0] === " " ? [...run].length : run.length / found.length;
  pieces.push({
    text: run,
    badge: times > 1 ? `${codeOf(first)} × ${times}` : codeOf(first),
    danger: isHarmless(run) ? undefined : lines ? "control" : dangerOf(first),
  });
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const DISGUISED = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}]/u;
// Letters of other alphabets that look like Latin ones, for words that are made of them alone.
const TWINS = /^[аеорсухіјѕԁԛԝһӏАВЕКМНОРСТУХІЈЅοναρικυωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\d]+$/u;
const STYLED = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2100-\u214f]/u;

/**
 * Mark letters that would be taken for Latin ones.
 *
 * @param {string} text
 * @returns {Piece[]}
 */
function lookalikes(text) {
  if (!DISGUISED.test(text) && !STYLED.test(text)) return [{ text }];
  /** @type {Piece[]} */
  const pieces = [];
  let plain = "";
  let from = 0;
  for (const match of text.matchAll(WORD)) {
    plain += text.slice(from, match.index);
    from = match.index + match[0].length;
    const mixed = LATIN.test(match[0]) || TWINS.test(match[0]);
    for (const character of match[0]) {
      if (!STYLED.test(character) && !(mixed && DISGUISED.test(character))) {
        plain += character;
        continue;
      }
      if (plain) pieces.push({ text: plain });
      plain = "";
      pieces.push({ text: character, badge: codeOf(character), danger: "lookalike" });
    }
  }
  plain += text.slice(from);
  if (plain) pieces.push({ text: plain });
  return pieces;
}

/**
 * Name what is dangerous in the texts of a value, its keys included.
 *
 * @param {any} value
 * @param {Set<Danger>} [found]
 * @returns {Set<Danger>}
 */
export function dangersIn(value, found = new Set()) {
  if (typeof value === "string") {
    for (const piece of piecesOf(value)) if (piece.danger) found.add(piece.danger);
    if (RIGHT_TO_LEFT.test(value)) found.add("rtl");
  } else if (value && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) {
      dangersIn(key, found);
      dangersIn(member, found);
    }
  }
  return found;
}
