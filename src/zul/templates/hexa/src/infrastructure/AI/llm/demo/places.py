"""Finds names of places: after a preposition, or right behind the word that names the wish."""

from collections.abc import Callable

from src.infrastructure.AI.llm.demo.concepts import RELATED
from src.infrastructure.AI.llm.demo.text import QUOTATION_MARKS, Clause, Token
from src.infrastructure.AI.llm.demo.values import Found
from src.infrastructure.AI.llm.demo.vocabulary import COUNTRIES, FILLERS, STOP_WORDS, is_known
from src.infrastructure.AI.llm.demo.words import word_set

_SEPARATORS = word_set(", & / dan and atau or serta vs plus")
_OPENERS = frozenset({"to", "from", "in", "for"})
_OPENING_WORDS = word_set("kota city of daerah wilayah like")
_PARTS_OF_NAMES = word_set("new de los san the al")
_MAX_WORDS = 4
_LONGEST_ABBREVIATION = 3
_NO_PLACES = word_set(
    "compare bandingkan describe jelaskan looking going sini sana rumah home work kantor mana pm am"
)
_SMALL_WORDS = FILLERS | STOP_WORDS
_NO_NAMES = _SMALL_WORDS | _SEPARATORS | _NO_PLACES


def places(clause: Clause, triggers: frozenset[str] = frozenset()) -> list[Found]:
    """Return the places in the clause; `triggers` are concepts a place may follow directly."""
    introduced = _after(
        clause, lambda token: token.concept in _OPENERS or token.word in _OPENING_WORDS
    )
    return (
        introduced
        or _after(clause, lambda token: token.concept in triggers)
        or _capitalised(clause, triggers)
    )


def bare_places(clause: Clause) -> list[Found]:
    """Return the places of an answer that is nothing but places (`Bandung`, `Paris and Rome`)."""
    return _listed(clause, 0, "")


def _after(clause: Clause, opens: Callable[[Token], bool]) -> list[Found]:
    found: list[Found] = []
    for i, token in enumerate(clause.tokens):
        is_new = not found or found[-1].end <= i
        if token.kind == "word" and is_new and opens(token):
            found += _listed(clause, i + 1, token.concept if token.concept in _OPENERS else "in")
    return found


def _capitalised(clause: Clause, triggers: frozenset[str]) -> list[Found]:
    found: list[Found] = []
    first = 0 if _follows(clause, 1, triggers) else 1  # `Compare …` is no place, `Solo weather` is
    for i, token in enumerate(clause.tokens):
        is_new = i >= first and (not found or found[-1].end <= i)
        if is_new and token.value[:1].isupper() and _may_name(clause.tokens, i):
            found += _listed(clause, i, "")
    return found


def _follows(clause: Clause, index: int, triggers: frozenset[str]) -> bool:
    concept = clause.tokens[index].concept if index < len(clause.tokens) else ""
    return concept in triggers or bool(triggers.intersection(RELATED.get(concept, ())))


def _listed(clause: Clause, start: int, lead: str) -> list[Found]:
    found: list[Found] = []
    position = start
    while position < len(clause.tokens):
        end = _end_of_name(clause, position)
        if end == position:
            break
        found.append(Found(_written(clause.between(position, end)), position, end, lead))
        position = end
        while position < len(clause.tokens) and _separates(clause.tokens[position], found):
            position += 1
        if position == end:
            break
    return found


def _separates(token: Token, found: list[Found]) -> bool:
    return bool(found) and (token.word in _SEPARATORS or token.word in ("di", "in"))


def _end_of_name(clause: Clause, start: int) -> int:
    tokens = clause.tokens
    end = start
    while end < len(tokens) and end - start < _MAX_WORDS and _may_name(tokens, end):
        end += 1
    if (
        end > start
        and end + 1 < len(tokens)
        and tokens[end].value == ","
        and _qualifies(tokens[end + 1])
    ):
        end += 2
    return end


def _qualifies(token: Token) -> bool:
    """Tell whether a word behind a comma belongs to the place before it (`Paris, France`)."""
    return token.word in COUNTRIES or (len(token.value) == 2 and token.value.isupper())


def _may_name(tokens: tuple[Token, ...], index: int) -> bool:
    token = tokens[index]
    if token.kind == "quoted":
        return True
    if token.kind != "word" or token.value[:1].isdecimal():
        return False
    if token.word in _PARTS_OF_NAMES:
        following = tokens[index + 1] if index + 1 < len(tokens) else token
        return following.kind == "word" and following.word not in _SMALL_WORDS
    if token.word in _NO_NAMES:
        return False
    # A capital letter makes a name of a word whose stem only looks familiar.
    return token.word in COUNTRIES or not is_known(token.word, exactly=token.value[:1].isupper())


def _written(name: str) -> str:
    """Give a name typed in small letters its capitals; abbreviations stay as they are."""
    name = name.strip(QUOTATION_MARKS)
    if name != name.casefold():
        return name
    words = name.split()
    is_abbreviation = len(words) == 1 and len(name) <= _LONGEST_ABBREVIATION
    return name if is_abbreviation else " ".join(word.capitalize() for word in words)
