"""Finds typed values in a clause: numbers, addresses, dates, times, currencies, codes."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.text import Clause, Kind, Token
from src.infrastructure.AI.llm.demo.vocabulary import (
    CURRENCIES,
    MONTHS,
    MULTIPLIERS,
    NUMBER_WORDS,
    ZONES,
)
from src.infrastructure.AI.llm.demo.words import word_set

PREPOSITIONS = word_set("to from in for about")
_MAX_NUMBERS = 50
_RELATIVE_DAYS = word_set("besok tomorrow lusa today kemarin yesterday sekarang now")
_WEEK_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
_EXPRESSION = re.compile(r"[\d(][\d\s().,%]{0,40}(?:[-+*/]{1,2}[\d\s().,%]{1,40}){1,40}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
_OPERATORS = {
    word: sign
    for sign, words in {
        "+": "ditambah tambah plus",
        "-": "dikurangi dikurang kurang minus",
        "*": "dikali dikalikan kali times x \u00d7",
        "/": "dibagi bagi \u00f7",
        "**": "pangkat ^",
    }.items()
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class Found:
    """A value, the tokens it covers, and the concept of the preposition in front of it."""

    value: Any
    start: int
    end: int
    lead: str = ""


def lead_of(clause: Clause, index: int) -> str:
    """Return the concept of the preposition that stands before the token at `index`."""
    concept = clause.tokens[index - 1].concept if index else ""
    return concept if concept in PREPOSITIONS else ""


def tokens_of_kind(clause: Clause, kind: Kind) -> list[Found]:
    """Return every token of one kind as a value."""
    return [
        Found(token.value, i, i + 1, lead_of(clause, i))
        for i, token in enumerate(clause.tokens)
        if token.kind == kind
    ]


def parse_number(text: str, language: Language, *, rupiah: bool = False) -> float | int | None:
    """Read `1.500.000`, `2,5`, `1,500.25`, `10k`; separators mean what they mean in `language`.

    Rupiah are whole thousands, whichever sign divides them: `Rp250.000`, `Rp250,000`.
    """
    match = re.fullmatch(r"(rp\.?)?([\d.,]+)(k|rb|jt)?", text.casefold())
    if match is None:
        return None
    digits, factor = match.group(2).strip(".,"), MULTIPLIERS.get(match.group(3) or "", 1)
    marks = [char for char in digits if char in ".,"]
    thousands = (rupiah or bool(match.group(1))) and _THOUSANDS.fullmatch(digits)
    decimal = "" if thousands else _decimal_mark(digits, marks, language)
    plain = "".join(
        "." if char == decimal else char for char in digits if char.isdecimal() or char == decimal
    )
    number = float(plain) * factor if decimal else int(plain or 0) * factor
    return (
        int(number) if isinstance(number, float) and factor > 1 and number.is_integer() else number
    )


def _decimal_mark(digits: str, marks: list[str], language: Language) -> str:
    if len(set(marks)) > 1:
        return marks[-1] if marks.count(marks[-1]) == 1 else ""
    if len(marks) != 1:
        return ""
    thousands = "." if language == "id" else ","
    grouped = len(digits.rpartition(marks[0])[2]) == len("000") and not digits.startswith("0")
    return "" if marks[0] == thousands and grouped else marks[0]


def numbers(clause: Clause, language: Language) -> list[Found]:
    """Return the numbers of a clause, number words and multipliers (`5 juta`) included."""
    found = []
    for i, token in enumerate(clause.tokens):
        value = NUMBER_WORDS.get(token.word) if token.kind == "word" else None
        if token.kind == "number":
            rupiah = _is_rupiah(clause, i)
            value = parse_number(token.value, language, rupiah=rupiah)  # type: ignore[assignment]
        if value is not None:
            found.append(_scaled(clause, i, value))
        if len(found) == _MAX_NUMBERS:
            break
    return found


def _is_rupiah(clause: Clause, index: int) -> bool:
    around = (*clause.tokens[max(index - 1, 0) : index], *clause.tokens[index + 1 : index + 2])
    return any(CURRENCIES.get(token.word) == "IDR" for token in around)


def _scaled(clause: Clause, index: int, value: float) -> Found:
    following = clause.tokens[index + 1].word if index + 1 < len(clause.tokens) else ""
    factor = MULTIPLIERS.get(following, 1)
    number = value * factor
    if factor > 1 and float(number).is_integer():
        number = int(number)
    start = index - 1 if _is_negative(clause.tokens, index) else index
    return Found(
        -number if start < index else number,
        start,
        index + 1 + (factor > 1),
        lead_of(clause, start),
    )


def _is_negative(tokens: tuple[Token, ...], index: int) -> bool:
    if (
        not index
        or tokens[index - 1].value not in ("-", "\u2212")
        or tokens[index - 1].end != tokens[index].start
    ):
        return False
    return index == 1 or tokens[index - 2].kind != "number"


def currencies(clause: Clause) -> list[Found]:
    """Return currency codes for codes, names and signs of money."""
    found = []
    for i, token in enumerate(clause.tokens):
        if token.kind == "number" and token.word.startswith("rp"):
            # The token is a number first; as a currency it takes no room.
            found.append(Found(CURRENCIES["rp"], i, i))
        elif token.word in CURRENCIES and token.kind != "quoted":
            found.append(Found(CURRENCIES[token.word], i, i + 1, lead_of(clause, i)))
    return found


def zones(clause: Clause) -> list[Found]:
    """Return time zones for zone names, abbreviations and well-known cities."""
    found = []
    for i, token in enumerate(clause.tokens):
        pair = clause.between(i, i + 2).casefold()
        if pair in ZONES and i + 1 < len(clause.tokens):
            found.append(Found(ZONES[pair], i, i + 2, lead_of(clause, i)))
        elif re.fullmatch(r"[A-Z]\w{2,20}/[A-Z]\w{2,30}", token.value):
            found.append(Found(token.value, i, i + 1, lead_of(clause, i)))
        elif token.word in ZONES:
            found.append(Found(ZONES[token.word], i, i + 1, lead_of(clause, i)))
    return found


def codes(clause: Clause) -> list[Found]:
    """Return identifiers such as `ORD-123`, `#42` and plain numbers."""
    return [
        Found(token.value, i, i + 1, lead_of(clause, i))
        for i, token in enumerate(clause.tokens)
        if token.kind in ("number", "word") and any(char.isdecimal() for char in token.value)
    ]


def dates(clause: Clause) -> list[Found]:
    """Return ISO dates for written dates; relative days as written, as there is no clock here."""
    return list(_dates(clause))


def _dates(clause: Clause) -> Iterator[Found]:
    skip = 0
    for i, token in enumerate(clause.tokens):
        if i < skip:
            continue
        found = _calendar_date(clause, i) or _relative_date(clause, i)
        if token.kind == "date":
            found = Found(token.value, i, i + 1)
        if found:
            skip = found.end
            yield found


def _calendar_date(clause: Clause, i: int) -> Found | None:
    parts = [
        token.word for token in clause.tokens[i : i + 5] if token.word not in (",", "/", "-", ".")
    ][:3]
    if len(parts) < 3 or not re.fullmatch(r"\d{4}", parts[2]):
        return None
    first, second = parts[:2]
    month, day = (second, first) if first.isdecimal() else (first, second)
    number = MONTHS.get(month) or (int(month) if month.isdecimal() and len(month) <= 2 else 0)
    if not 1 <= number <= 12 or not (day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31):
        return None
    end = next(j for j in range(i, len(clause.tokens)) if clause.tokens[j].word == parts[2]) + 1
    return Found(f"{parts[2]}-{number:02d}-{int(day):02d}", i, end)


def _relative_date(clause: Clause, i: int) -> Found | None:
    token = clause.tokens[i]
    following = clause.tokens[i + 1].word if i + 1 < len(clause.tokens) else ""
    if token.kind != "word":
        return None
    if token.word == "hari" and following == "ini":
        return Found(clause.between(i, i + 2), i, i + 2)
    if token.concept in _WEEK_DAYS or token.word in _RELATIVE_DAYS:
        end = i + 2 if following == "depan" else i + 1
        return Found(clause.between(i, end), i, end)
    return None


def times(clause: Clause) -> list[Found]:
    """Return times of the day as `HH:MM`."""
    found = []
    for i, token in enumerate(clause.tokens):
        before = clause.tokens[i - 1].word if i else ""
        after = clause.tokens[i + 1].word if i + 1 < len(clause.tokens) else ""
        value = _time_of_day(token, before in ("jam", "pukul", "at", "pkl"), after)
        if value:
            found.append(Found(value, i, i + 1 + (after in ("am", "pm"))))
    return found


def _time_of_day(token: Token, announced: bool, after: str) -> str:  # noqa: FBT001
    match = re.fullmatch(r"(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?(am|pm)?", token.word)
    half = (match.group(3) or (after if after in ("am", "pm") else "")) if match else ""
    if match is None or not (token.kind == "time" or announced or half):
        return ""
    hour, minute = int(match.group(1)), int(match.group(2) or 0)
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""


def expression(clause: Clause) -> str:
    """Return the longest arithmetic expression of the clause, `12 dikali 7` written as `12 * 7`."""
    words = [_OPERATORS.get(token.word, token.value) for token in clause.tokens]
    matches = [match.group().strip(" .,:") for match in _EXPRESSION.finditer(" ".join(words))]
    return max(matches, key=len, default="").replace(" . ", ".")


def first_accepted(candidates: Iterable[Found], accepts: Callable[[object], bool]) -> Found | None:
    """Return the first candidate whose value the schema takes."""
    return next((found for found in candidates if accepts(found.value)), None)
