"""Spells out the orders that a message only hints at: `… to a@x.com and one to b@y.com`."""

import re
from itertools import pairwise

from src.infrastructure.AI.llm.demo.text import Token, read

# What may stand between an address and the next one that is meant in the same way.
_LINK = re.compile(
    r"""(?:\s*[,;]\s*(?:(?:and|dan|serta|plus)\s+)?|\s+(?:and|dan|serta|plus)\s+)
    (?P<one>(?:(?:also|juga)\s+)?
      (?:(?:another|one|a\ssecond|satu|sebuah)\s+(?:(?:more|one|lagi|e-?mail|surel)\s+){0,2})?)
    (?:(?:to|ke|kepada|for|untuk|buat)\s+)?
    (?P<name>[^\W\d_]{1,30}\s+(?:at|di|on)\s+)?""",
    re.VERBOSE | re.IGNORECASE,
)
_TELLS = re.compile(r"\s*(:|saying|that|about|bahwa|tentang|isinya|isi)(?:\s|$)", re.IGNORECASE)
_BOUNDARY = re.compile(r"(?:[.!?;,]|\b(?:and|dan|then|lalu|kemudian)\b)\s*", re.IGNORECASE)
_MAX_LINK = 60
_MAX_OPENING = 80


def spell_out(text: str) -> str:
    """Return `text` with every order that leans on the one before it written in full.

    A second recipient with a text of its own gets an order of its own; one without is joined to
    the first: `Email a@x: hi, and one to b@y: bye`, `Send one to a@x and one to b@y`.
    """
    addresses = [token for token in read(text).tokens if token.kind == "email"]
    if len(addresses) < 2:
        return text
    opening = text[_beginning_of(text, addresses[0]) : addresses[0].start]
    if len(opening) > _MAX_OPENING:
        return text
    parts, position = [], 0
    for before, address in pairwise(addresses):
        start = _start_of_link(text, before, address)
        joint = None if start is None else _joint(text, before, start, address, opening)
        if start is not None and joint is not None:
            parts += [text[position:start], joint]
            position = address.start
    return "".join([*parts, text[position:]])


def _beginning_of(text: str, address: Token) -> int:
    ends = [found.end() for found in _BOUNDARY.finditer(text, 0, address.start)]
    return ends[-1] if ends else 0


def _start_of_link(text: str, before: Token, address: Token) -> int | None:
    """Return where the words begin that lead from the text before to the next address."""
    first = max(before.end, address.start - _MAX_LINK)
    for start in range(first, address.start):
        if _LINK.fullmatch(text, start, address.start) and not text[start - 1 : start].isspace():
            return start
    return None


def _joint(text: str, before: Token, start: int, address: Token, opening: str) -> str | None:
    link = _LINK.fullmatch(text, start, address.start)
    if start == before.end:
        return " and " if link and (link["one"] or link["name"]) else None
    told, tells = (_TELLS.match(text, token.end) for token in (before, address))
    same = told and tells and told[1].casefold() == tells[1].casefold()
    return f". {opening}" if same else None
