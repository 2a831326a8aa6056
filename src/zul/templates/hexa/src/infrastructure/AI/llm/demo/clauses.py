"""Cuts a message into clauses, one for each wish."""

from collections.abc import Iterator, Sequence
from itertools import islice

from src.infrastructure.AI.llm.demo.memory import facts_in
from src.infrastructure.AI.llm.demo.schema import Tool
from src.infrastructure.AI.llm.demo.text import Clause, Token
from src.infrastructure.AI.llm.demo.tool_choice import TELLS, choose_tool, is_refusal, tells
from src.infrastructure.AI.llm.demo.values import PREPOSITIONS
from src.infrastructure.AI.llm.demo.vocabulary import is_known
from src.infrastructure.AI.llm.demo.words import word_set

_STRONG = word_set("lalu kemudian then selanjutnya terus ;")
_SENTENCE_ENDS = word_set(". ! ?")
_SOFT = word_set("dan and serta juga also , & sekaligus tapi tetapi but")
_LINKS = _STRONG | _SOFT
_ENDS = _LINKS | _SENTENCE_ENDS
_ORDERS = word_set("get search calculate convert create schedule book")
_MAX_OPENING = 7
_MAX_BOUNDARIES = 60


def split_clauses(message: Clause, tools: Sequence[Tool]) -> list[Clause]:
    """Cut the message where one wish ends and the next, for a tool of its own, begins."""
    clauses: list[Clause] = []
    start = 0
    for boundary in _boundaries(message):
        left, right = message.part(start, boundary), _up_to_next_boundary(message, boundary + 1)
        if left.tokens and _begins_new_wish(left, right, message.tokens[boundary], tools):
            clauses.append(left)
            start = boundary + 1
    rest = message.part(start, len(message.tokens))
    return [_without_leading_links(clause) for clause in (*clauses, rest) if clause.tokens]


def _boundaries(message: Clause) -> list[int]:
    return list(islice(_ends_from(message, 0), _MAX_BOUNDARIES))


def _up_to_next_boundary(message: Clause, start: int) -> Clause:
    while start < len(message.tokens) and _is_link(message.tokens[start]):
        start += 1
    end = next(_ends_from(message, start), len(message.tokens))
    return message.part(start, end)


def _ends_from(message: Clause, start: int) -> Iterator[int]:
    for i in range(start, len(message.tokens)):
        if message.tokens[i].kind in ("word", "sign") and message.tokens[i].word in _ENDS:
            yield i


def _is_link(token: Token) -> bool:
    return token.word in _LINKS


def _without_leading_links(clause: Clause) -> Clause:
    start = 0
    while start < len(clause.tokens) and _is_link(clause.tokens[start]):
        start += 1
    return clause.part(start, len(clause.tokens))


def _is_one_more(right: Clause) -> bool:
    """Tell whether a list goes on: with an address, or with a name and then `to` an address."""
    for i, token in enumerate(right.tokens):
        if token.kind == "email":
            return i == 0 or right.tokens[i - 1].concept == "to"
        is_name = token.value[:1].isupper() and not is_known(token.word)
        if not is_name and not (i and token.concept == "to"):
            return False
    return False


def _begins_new_wish(left: Clause, right: Clause, boundary: Token, tools: Sequence[Tool]) -> bool:
    if _is_one_more(right) or choose_tool(right, tools, clearly=True) is None:
        return False
    current = choose_tool(left, tools)
    if current is None:
        return (
            boundary.word in _SENTENCE_ENDS | _STRONG
            or is_refusal(left)
            or bool(facts_in(left.text))
        )
    if boundary.word in _STRONG:
        return True
    if _in_dictated_text(left):
        return _is_order(right, current, after_comma=boundary.word == ",")
    return not _continues(current, right)


def _is_order(right: Clause, current: Tool, *, after_comma: bool) -> bool:
    """Tell whether words behind a dictated text are an order again and not a part of the text.

    One for the same tool is as complete as the order before; one for another tool follows a comma.
    """
    first = right.tokens[0].concept
    kinds = [token.kind for token in right.tokens[:_MAX_OPENING]]
    if first in current.name_concepts | {"send"}:
        return "email" in kinds and tells(right)
    return after_comma and first in _ORDERS


def _in_dictated_text(clause: Clause) -> bool:
    """Tell whether the clause ends inside words that are to be passed on, not understood."""
    for i, token in enumerate(clause.tokens):
        if token.kind in ("word", "sign") and token.word in TELLS:
            rest = clause.tokens[i + 1 :]
            return not any(t.kind == "quoted" for t in rest)
    return False


def _continues(tool: Tool, right: Clause) -> bool:
    """Tell whether `right` names a parameter of `tool` first (`… dan isi email 'Halo'`)."""
    first = right.tokens[0] if right.tokens else None
    if first is None or first.kind != "word":
        return False
    concepts = tool.parameter_concepts - tool.name_concepts - PREPOSITIONS
    return (
        first.concept in concepts
        or first.word in {p.name for p in tool.parameters}
        or first.word in TELLS
    )
