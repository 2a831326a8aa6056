"""Finds values that the message assigns to a parameter by name: `isi 'Halo'`, `a=2`."""

from collections.abc import Iterator
from dataclasses import dataclass

from src.infrastructure.AI.llm.demo.draft import Draft
from src.infrastructure.AI.llm.demo.roles import Role, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter
from src.infrastructure.AI.llm.demo.text import Clause, Token, words_of_name
from src.infrastructure.AI.llm.demo.typed import typed_value
from src.infrastructure.AI.llm.demo.values import PREPOSITIONS, Found, dates
from src.infrastructure.AI.llm.demo.vocabulary import FILLERS, GENERIC
from src.infrastructure.AI.llm.demo.words import word_set

_ASSIGN = word_set("= :")
_LINKS = word_set("adalah ialah yaitu is sebagai as")
_TRAILING = word_set("dan and dengan with serta , ; lalu then")
_BEFORE_VALUES = word_set("on at pada tanggal tgl jam pukul by untuk for")
_PLAIN_ROLES = word_set("content title query string person code")
_LEADS_IN = word_set("dan and dengan with , . serta ; berjudul bersubjek")


@dataclass(frozen=True, slots=True)
class Marker:
    """A place where the message names a parameter; the value begins at `value`."""

    parameter: Parameter
    start: int
    value: int
    assigned: bool


def fill_marked(draft: Draft) -> None:
    """Give parameters the values that the clause assigns to them by name."""
    marks = list(_markers(draft))
    for position, mark in enumerate(marks):
        limit = marks[position + 1].start if position + 1 < len(marks) else len(draft.clause.tokens)
        end = _end_of_value(draft, mark, limit)
        if end > mark.value and draft.wants(mark.parameter):
            value = typed_value(mark.parameter, draft.clause.part(mark.value, end), draft.language)
            if value is not None and draft.put(mark.parameter, Found(value, mark.value, end)):
                draft.use(mark.start, mark.value)


def _markers(draft: Draft) -> Iterator[Marker]:
    position, in_content = 0, False
    while position < len(draft.clause.tokens):
        mark = _marker_at(draft, position, in_content)
        if mark:
            yield mark
            in_content = in_content or role_of(mark.parameter) == "content"
        position = mark.value if mark else position + 1


def _marker_at(draft: Draft, position: int, in_content: bool) -> Marker | None:  # noqa: FBT001
    for parameter in draft.tool.parameters:
        length = _length_of_name(draft, parameter, position)
        if not length:
            continue
        value = _skip_links(draft.clause, position + length)
        assigned = _is_assigned(draft.clause, position + length, value)
        if assigned or _may_follow(draft, parameter, position, value, in_content=in_content):
            return Marker(parameter, position, value, assigned)
    return None


def _length_of_name(draft: Draft, parameter: Parameter, position: int) -> int:
    tokens = draft.clause.tokens
    token = tokens[position]
    if token.kind != "word":
        return 0
    if token.word == parameter.name.casefold():
        return 1
    words = words_of_name(parameter.name)
    if len(words) > 1 and [t.word for t in tokens[position : position + len(words)]] == words:
        return len(words)
    return int(token.concept in _own_concepts(draft, parameter))


def _own_concepts(draft: Draft, parameter: Parameter) -> frozenset[str]:
    """The concepts that name this parameter and no other of the tool."""
    others = {c for p in draft.tool.parameters if p is not parameter for c in p.concepts}
    extra = {"content": {"body", "message"}, "title": {"subject", "title"}}.get(
        role_of(parameter), set()
    )
    return frozenset(
        (parameter.concepts | extra) - others - (GENERIC - {"name", "number", "query", "task"})
    )


def _skip_links(clause: Clause, position: int) -> int:
    while position < len(clause.tokens) and clause.tokens[position].word in _LINKS | _ASSIGN | {
        "nya"
    }:
        position += 1
    return position


def _is_assigned(clause: Clause, after: int, value: int) -> bool:
    if value >= len(clause.tokens):
        return False
    return (
        any(t.word in _ASSIGN for t in clause.tokens[after:value])
        or clause.tokens[value].kind == "quoted"
    )


def _may_follow(
    draft: Draft, parameter: Parameter, position: int, value: int, *, in_content: bool
) -> bool:
    """Tell whether the words behind the name are its value although no sign says so."""
    tokens = draft.clause.tokens
    role = role_of(parameter)
    if role not in _PLAIN_ROLES or value >= len(tokens):
        return False
    if in_content and not (position and tokens[position - 1].word in _LEADS_IN):
        return False
    if tokens[position].concept in PREPOSITIONS:
        return False
    following = tokens[value]
    return (
        following.kind != "sign"
        and following.concept not in PREPOSITIONS
        and (role in ("content", "title") or following.word not in FILLERS)
    )


def _end_of_value(draft: Draft, mark: Marker, limit: int) -> int:
    clause, start, role = draft.clause, mark.value, role_of(mark.parameter)
    if start < limit and (clause.tokens[start].kind == "quoted" or role == "code"):
        return start + 1
    end = limit
    if not mark.assigned:
        ends = _names_recipient if role == "content" else _is_other_value
        end = next((i for i in range(start, limit) if ends(draft, i)), limit)
    while end > start and _is_trailing(clause.tokens[end - 1], role):
        end -= 1
    # What stands between this value and the next kind of value leads over to that one.
    while limit > end > start and _leads_over(clause.tokens[end - 1]):
        end -= 1
    return end


def _is_other_value(draft: Draft, index: int) -> bool:
    """Tell whether a value of a kind that no title or name has begins here."""
    kinds = ("email", "url", "date", "time", "quoted")
    day = dates(draft.clause.part(index, index + 5))
    is_typed = draft.clause.tokens[index].kind in kinds or bool(day and not day[0].start)
    return is_typed or _is_missing_number(draft, index)


def _is_missing_number(draft: Draft, index: int) -> bool:
    """Tell whether a number that a parameter waits for begins here: the 10 of `Blue at 10`."""
    tokens = draft.clause.tokens
    led_to = index > 0 and tokens[index].kind == "number" and _leads_over(tokens[index - 1])
    return led_to and any(role_of(p) == "number" for p in draft.missing())


def _names_recipient(draft: Draft, index: int) -> bool:
    """Tell whether `ke Budi` begins here although the clause has not yet named a recipient."""
    tokens = draft.clause.tokens
    if tokens[index].concept != "to" or index + 1 == len(tokens):
        return False
    following = tokens[index + 1]
    named = following.kind == "email" or following.value[:1].isupper()
    return named and any(role_of(p) in ("person", "email") for p in draft.missing())


def _is_trailing(token: Token, role: Role) -> bool:
    return token.word in _TRAILING or (role != "content" and token.word in (".", "?"))


def _leads_over(token: Token) -> bool:
    return token.concept in PREPOSITIONS or token.word in _BEFORE_VALUES | _TRAILING
