"""Cuts a message into tokens: words, quoted texts, addresses, dates, numbers, signs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, cast

from src.infrastructure.AI.llm.demo.concepts import PHRASES
from src.infrastructure.AI.llm.demo.vocabulary import STOP_WORDS, canonical

MAX_READ_CHARACTERS = 4000
"""The demo model reads this much of a message; it keeps every pass over the text short."""

Kind = Literal["word", "quoted", "email", "url", "date", "time", "number", "sign"]

# Every repetition is bounded or cannot overlap with its neighbour, so no input makes matching slow.
_TOKEN = re.compile(
    r"""(?P<url>https?://[^\s<>"'“”]{1,2000})
    |(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})
    |(?P<date>\d{4}-\d{2}-\d{2}
        (?:[T\ ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)(?!\w)
    |(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?!\w)
    |(?P<number>(?:rp\.?)?\d{1,20}(?:[.,]\d{1,20}){0,8}(?:k|rb|jt)?)(?![^\W_])
    |(?P<word>\w+(?:[-'\u2019./]\w+)*)
    |(?P<sign>[^\s\w])""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES = {
    '"': '"',
    "“": "”",
    "„": "“",
    "\u2018": "\u2019",
    "«": "»",
    "`": "`",
    "'": "'",
    "「": "」",
}
QUOTATION_MARKS = "".join(sorted({*_QUOTES, *_QUOTES.values()}))
"""Every sign that opens or closes a quotation."""
_APOSTROPHES = "'\u2019"
_MAX_APOSTROPHES = 20


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a message.

    Attributes:
        value: its text, without quotation marks.
        word: the same in lower case.
        concept: what a word stands for; empty for everything that is no word.
    """

    kind: Kind
    value: str
    word: str
    start: int
    end: int
    concept: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of tokens of one message."""

    source: str
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The original text of the clause."""
        return self.between(0, len(self.tokens))

    def between(self, start: int, end: int) -> str:
        """Return the original text of the tokens from `start` up to `end`."""
        end = min(end, len(self.tokens))
        if start >= end:
            return ""
        return self.source[self.tokens[start].start : self.tokens[end - 1].end]

    def part(self, start: int, end: int) -> "Clause":
        """Return the tokens from `start` up to `end` as a clause of their own."""
        return Clause(self.source, self.tokens[start:end])

    @property
    def words(self) -> list[str]:
        """The words of the clause in lower case, without what is quoted."""
        return [token.word for token in self.tokens if token.kind == "word"]


def clean(text: str) -> str:
    """Return the readable beginning of `text`, without characters that cannot be stored or sent."""
    head = text[:MAX_READ_CHARACTERS].replace("\x00", "")
    return head.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@lru_cache(maxsize=64)
def read(text: str) -> Clause:
    """Return `text` as one clause."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        token = _quoted(text, position) or _plain(text, position)
        position = token.end if token else position + 1
        if token:
            tokens.append(token)
    return Clause(text, tuple(tokens))


def _plain(text: str, position: int) -> Token | None:
    match = _TOKEN.match(text, position)
    if match is None or match.lastgroup is None:
        return None
    value = match.group()
    if match.lastgroup == "url":
        value = value.rstrip(".,;:!?)]}")
    kind = cast("Kind", match.lastgroup)  # the group names are the kinds
    word = value.casefold()
    concept = canonical(word) if kind == "word" else ""
    return Token(kind, value, word, position, position + len(value), concept)


def _quoted(text: str, position: int) -> Token | None:
    closing = _QUOTES.get(text[position])
    if closing is None:
        return None
    end = _closing_quote(text, position, closing)
    if end <= position + 1:
        return None
    value = text[position + 1 : end].strip()
    return Token("quoted", value, value.casefold(), position, end + 1) if value else None


def _closing_quote(text: str, position: int, closing: str) -> int:
    end = text.find(closing, position + 1)
    if closing not in _APOSTROPHES:
        return end
    if position and text[position - 1].isalnum():
        return -1
    for _ in range(_MAX_APOSTROPHES):
        # An apostrophe inside a word ("don't") does not close the quotation.
        if end < 0 or not text[end + 1 : end + 2].isalnum():
            return end
        end = text.find(closing, end + 1)
    return -1


def words_of_name(name: str) -> list[str]:
    """Split an identifier such as `from_currency` or `fromCurrency` into lower-case words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[:200])
    return [word.casefold() for word in re.split(r"[^\w]|_|\s", spaced) if word]


def concepts_of_words(words: Sequence[str]) -> set[str]:
    """Return the concepts that a sequence of lower-case words stands for."""
    found = {canonical(word) for word in words if word not in STOP_WORDS}
    found.update(PHRASES[pair] for pair in pairwise(words) if pair in PHRASES)
    return found


def concepts_of_texts(texts: Iterable[str]) -> set[str]:
    """Return the concepts that occur in texts such as descriptions."""
    found: set[str] = set()
    for text in texts:
        found |= concepts_of_words(
            [part for word in read(clean(text)).words for part in words_of_name(word)]
        )
    return found
