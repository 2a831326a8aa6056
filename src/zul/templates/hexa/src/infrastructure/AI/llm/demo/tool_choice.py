"""Chooses the tool that a clause asks for."""

from collections.abc import Sequence

from src.infrastructure.AI.llm.demo.concepts import PHRASES, RELATED
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
TELLS = word_set("that bahwa isi isinya body berisi pesannya saying :")
_OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "\u00d7": "multiply",
    "/": "divide",
    "÷": "divide",
}
_TO_SOMEBODY = word_set("notify send")
_ASKERS = word_set("me us saya aku kami kita")
_OPENING_WORDS = 4
_NEGATIONS = word_set("jangan don't dont don\u2019t")


def choose_tool(clause: Clause, tools: Sequence[Tool], *, clearly: bool = False) -> Tool | None:
    """Return the tool the clause asks for, if any; `clearly` means with words of its name."""
    return _best(clause, tools, _CLEARLY_NAMED if clearly else _THRESHOLD)


def is_refusal(clause: Clause) -> bool:
    """Tell whether the clause asks not to do something (`jangan kirim …`, `don't send …`)."""
    words = clause.words[:_OPENING_WORDS]
    return any(word in _NEGATIONS for word in words) or "do not" in " ".join(words)


def tells(clause: Clause) -> bool:
    """Tell whether the clause says what is to be passed on, in words of its own."""
    return any(t.kind in ("word", "sign") and t.word in TELLS for t in clause.tokens)


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
        if i and token.kind in ("word", "sign") and token.word in TELLS:
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
    named = [(concept, i + 1) for concept in own] + ([(phrase, i + 2)] if phrase else [])
    # Whoever says "tell me" asks, and has nobody notified.
    return [c for c, after in named if not (c in _TO_SOMEBODY and _is_asker(clause, after))]


def _is_asker(clause: Clause, index: int) -> bool:
    return index < len(clause.tokens) and clause.tokens[index].word in _ASKERS


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
