"""Cuts a message into clauses and chooses the tool that each clause asks for."""

from collections.abc import Iterator, Sequence
from itertools import islice

from src.infrastructure.AI.llm.demo.concepts import PHRASES, RELATED
from src.infrastructure.AI.llm.demo.memory import facts_in
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.schema import Tool
from src.infrastructure.AI.llm.demo.text import Clause, Token
from src.infrastructure.AI.llm.demo.values import PREPOSITIONS
from src.infrastructure.AI.llm.demo.vocabulary import GENERIC, STOP_WORDS, canonical
from src.infrastructure.AI.llm.demo.words import word_set

_THRESHOLD = 2.0
_CLEARLY_NAMED = 3.0
_NAME, _GENERIC_NAME, _DESCRIPTION, _PARAMETER, _CALLED_BY_NAME = 3.0, 1.0, 2.0, 0.5, 10.0
_HINT = 0.7
_STRONG = word_set("lalu kemudian then selanjutnya terus ;")
_SENTENCE_ENDS = word_set(". ! ?")
_SOFT = word_set("dan and serta juga also , & sekaligus tapi tetapi but")
_LINKS = _STRONG | _SOFT
_ENDS = _LINKS | _SENTENCE_ENDS
_TELLS = word_set("that bahwa isi isinya body berisi pesannya saying :")
_OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "\u00d7": "multiply",
    "/": "divide",
    "÷": "divide",
}
_OPENING_WORDS = 4
_MAX_BOUNDARIES = 60
_NEGATIONS = word_set("jangan don't dont don\u2019t")


def choose_tool(clause: Clause, tools: Sequence[Tool], *, clearly: bool = False) -> Tool | None:
    """Return the tool the clause asks for, if any; `clearly` means with words of its name."""
    return _best(clause, tools, _CLEARLY_NAMED if clearly else _THRESHOLD)


def is_refusal(clause: Clause) -> bool:
    """Tell whether the clause asks not to do something (`jangan kirim …`, `don't send …`)."""
    words = clause.words[:_OPENING_WORDS]
    return any(word in _NEGATIONS for word in words) or "do not" in " ".join(words)


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


def _begins_new_wish(left: Clause, right: Clause, boundary: Token, tools: Sequence[Tool]) -> bool:
    is_one_more_recipient = bool(right.tokens) and right.tokens[0].kind == "email"
    if is_one_more_recipient or choose_tool(right, tools, clearly=True) is None:
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
    return not _in_dictated_text(left) and not _continues(current, right)


def _in_dictated_text(clause: Clause) -> bool:
    """Tell whether the clause ends inside words that are to be passed on, not understood."""
    for i, token in enumerate(clause.tokens):
        if token.kind in ("word", "sign") and token.word in _TELLS:
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
        or first.word in _TELLS
    )


def _best(clause: Clause, tools: Sequence[Tool], threshold: float) -> Tool | None:
    head = _head(clause)
    for part in (head, clause) if len(head.tokens) < len(clause.tokens) else (clause,):
        weights = concept_weights(part)
        scores = [(_score(tool, part, weights), tool) for tool in tools]
        best = max((score for score, _ in scores), default=0.0)
        if best >= threshold:
            return next(tool for score, tool in scores if score == best)
    return None


def _head(clause: Clause) -> Clause:
    """Return the part before words that are only passed on."""
    for i, token in enumerate(clause.tokens):
        if i and token.kind in ("word", "sign") and token.word in _TELLS:
            return clause.part(0, i)
    return clause


def concept_weights(clause: Clause) -> dict[str, float]:
    """Return the concepts a clause speaks of; what is only hinted at weighs less."""
    weights: dict[str, float] = {}
    for i, token in enumerate(clause.tokens):
        for concept in _concepts_at(clause, i, token):
            weights[concept] = 1.0
            for hint in RELATED.get(concept, ()):
                weights.setdefault(hint, _HINT)
    return weights


def _concepts_at(clause: Clause, i: int, token: Token) -> list[str]:
    if token.kind == "email":
        return ["email"]
    if token.kind == "sign":
        return _operation_at(clause, i)
    following = clause.tokens[i + 1] if i + 1 < len(clause.tokens) else token
    names_hour = token.concept == "time" and following.kind in ("number", "time")
    if token.kind != "word" or names_hour:
        return []
    own = [] if token.word in STOP_WORDS or token.concept in PREPOSITIONS else [token.concept]
    phrase = PHRASES.get((token.word, following.word))
    return [*own, phrase] if phrase else own


def _operation_at(clause: Clause, i: int) -> list[str]:
    """Return what a sign between two numbers asks for (`2 + 3` -> add)."""
    operation = _OPERATORS.get(clause.tokens[i].value)
    around = [token.kind for token in clause.tokens[max(i - 1, 0) : i + 2]]
    return [operation] if operation and around == ["number", "sign", "number"] else []


def _score(tool: Tool, clause: Clause, weights: dict[str, float]) -> float:
    score = sum(_weight(tool, concept) * weight for concept, weight in weights.items())
    if any(token.word == tool.name.casefold() for token in clause.tokens):
        score += _CALLED_BY_NAME
    return score + (_PARAMETER if _names_option(tool, weights) else 0.0)


def _weight(tool: Tool, concept: str) -> float:
    if concept in tool.name_concepts:
        return _GENERIC_NAME if concept in GENERIC else _NAME
    if concept in tool.described:
        return _DESCRIPTION
    return _PARAMETER if concept in tool.parameter_concepts else 0.0


def _names_option(tool: Tool, weights: dict[str, float]) -> bool:
    options = (
        str(option).casefold() for p in tool.parameters if role_of(p) == "enum" for option in p.enum
    )
    return any(canonical(option) in weights for option in options)
