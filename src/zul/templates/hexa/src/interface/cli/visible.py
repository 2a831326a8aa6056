"""Makes text safe to show: nobody may approve what they could not see."""

import json
import re
import unicodedata
from typing import Any

# Controls, formats (bidirectional marks, zero-width characters, tags), unassigned, private,
# surrogates, and line ends that a terminal may obey.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})

# Letters, marks and symbols that are drawn as nothing at all.
_BLANK = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)
_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BEYOND_BMP = 0x10000


def visible(text: str) -> str:
    """Return ``text`` on one line, with every character that cannot be seen as a JSON escape."""
    return "".join(_escape(c) if _is_hidden(c) else c for c in text)


def harmless(text: str) -> str:
    """Return prose of several lines that can neither steer a terminal nor reorder its letters."""
    return "".join(c if c in "\n\t" or not _is_steering(c) else _escape(c) for c in text)


def visible_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON that means ``value`` and hides nothing of it."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    # A line end is never part of a JSON string, so the ones here are the layout.
    return "\n".join(visible(line) for line in text.split("\n"))


def _is_hidden(character: str) -> bool:
    if unicodedata.category(character) in _HIDDEN_CATEGORIES or _BLANK.match(character):
        return True
    return character.isspace() and character != " "


def _is_steering(character: str) -> bool:
    category = unicodedata.category(character)
    return category in {"Cc", "Cs"} or bool(_BIDIRECTIONAL.match(character))


def _escape(character: str) -> str:
    code = ord(character)
    if code < _BEYOND_BMP:
        return f"\\u{code:04x}"
    high, low = divmod(code - _BEYOND_BMP, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
