"""Fills parameters that name somebody: the name behind `untuk`, `kepada`, `named`."""

from src.infrastructure.AI.llm.demo.draft import Draft
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.text import Clause, Token
from src.infrastructure.AI.llm.demo.values import Found, lead_of
from src.infrastructure.AI.llm.demo.vocabulary import FILLERS, STOP_WORDS, is_known
from src.infrastructure.AI.llm.demo.words import word_set

_INTRODUCTIONS = word_set("bernama named called nama name")
_SMALL_WORDS = FILLERS | STOP_WORDS
_MAX_WORDS = 3


def fill_people(draft: Draft) -> None:
    """Give the required parameters that want a name the names of the clause."""
    for parameter in draft.tool.required:
        if role_of(parameter) == "person" and draft.wants(parameter):
            found = draft.ordered(parameter, draft.unused(_names(draft.clause)))
            any(draft.put(parameter, name) for name in found)


def _names(clause: Clause) -> list[Found]:
    introduced, capitalised = [], []
    for i, token in enumerate(clause.tokens):
        end = _end(clause, i)
        lead = lead_of(clause, i)
        before = clause.tokens[i - 1].word if i else ""
        if end > i and (before in _INTRODUCTIONS or lead in ("to", "for", "from")):
            introduced.append(Found(clause.between(i, end), i, end, lead))
        elif end > i and i and token.value[:1].isupper():
            capitalised.append(Found(clause.between(i, end), i, end, lead))
    return introduced + capitalised


def _end(clause: Clause, start: int) -> int:
    end = start
    while end < len(clause.tokens) and end - start < _MAX_WORDS and _is_name(clause.tokens[end]):
        if end > start and not clause.tokens[end].value[:1].isupper():
            break
        end += 1
    return end


def _is_name(token: Token) -> bool:
    if token.kind != "word" or token.word in _SMALL_WORDS or token.value[:1].isdecimal():
        return False
    return not is_known(token.word, exactly=token.value[:1].isupper())
