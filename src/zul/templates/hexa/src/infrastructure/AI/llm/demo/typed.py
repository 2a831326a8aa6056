"""Reads the kinds of value a parameter may want: a number, a place, one of a few words."""

import json
from collections.abc import Callable
from typing import Any

from src.infrastructure.AI.llm.demo import values
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.places import bare_places, places
from src.infrastructure.AI.llm.demo.roles import Role, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter
from src.infrastructure.AI.llm.demo.text import Clause, words_of_name
from src.infrastructure.AI.llm.demo.values import Found, first_accepted
from src.infrastructure.AI.llm.demo.vocabulary import GENERIC, NO, YES, canonical
from src.infrastructure.AI.llm.demo.words import word_set

_LIST_SEPARATORS = word_set(", ; dan and & serta")
_LEVELS = {"urgent": "high", "high": "urgent"}

_FINDERS: dict[Role, Callable[[Clause], list[Found]]] = {
    "email": lambda clause: values.tokens_of_kind(clause, "email"),
    "url": lambda clause: values.tokens_of_kind(clause, "url"),
    "currency": values.currencies,
    "timezone": values.zones,
    "code": values.codes,
    "time": values.times,
    "place": places,
}


def candidates(parameter: Parameter, clause: Clause, language: Language) -> list[Found]:
    """Return the values in the clause that are of the kind the parameter wants."""
    role = role_of(parameter)
    if role == "number":
        return [_as_number(parameter, found) for found in values.numbers(clause, language)]
    if role == "enum":
        return _enum_values(parameter, clause)
    if role == "date":
        return _moments(clause)
    if role == "expression":
        text = values.expression(clause)
        return [Found(text, 0, len(clause.tokens))] if text else []
    finder = _FINDERS.get(role)
    return finder(clause) if finder else []


def typed_value(parameter: Parameter, clause: Clause, language: Language) -> Any:
    """Return what a clause stands for that is nothing but a value; None when it does not fit."""
    role = role_of(parameter)
    if role == "boolean":
        return _yes_or_no(clause)
    if role == "list":
        return list_value(parameter, clause, language)
    if role == "object":
        return json_value(clause.text, parameter)
    found = candidates(parameter, clause, language)
    if role == "place":
        found = bare_places(clause) + found
    best = first_accepted(found, parameter.accepts)
    if best is not None and role != "code":
        return best.value
    plain = plain_text(clause)
    return (
        plain
        if plain and parameter.accepts(plain) and role not in ("number", "enum", "email")
        else None
    )


def plain_text(clause: Clause) -> str:
    """Return the text of the clause, without quotation marks when it is one quotation."""
    quotation = len(clause.tokens) == 1 and clause.tokens[0].kind == "quoted"
    return clause.tokens[0].value if quotation else clause.text.strip()


def _as_number(parameter: Parameter, found: Found) -> Found:
    if parameter.type == "number":
        return Found(float(found.value), found.start, found.end, found.lead)
    return found


def _moments(clause: Clause) -> list[Found]:
    days, hours = values.dates(clause), values.times(clause)
    if days and hours and len(days[0].value) == len("2025-01-01"):
        both = Found(f"{days[0].value}T{hours[0].value}:00", days[0].start, days[0].end)
        return [both, *days]
    return days


def _enum_values(parameter: Parameter, clause: Clause) -> list[Found]:
    found = [match for option in parameter.enum for match in _option_matches(option, clause)]
    return sorted(found, key=lambda match: (match.start, match.start - match.end)) or _nearby_level(
        parameter, clause
    )


def _option_matches(option: object, clause: Clause) -> list[Found]:
    words = words_of_name(str(option)) or [str(option)]
    single_letter = len(str(option)) == 1
    matches = []
    for i, token in enumerate(clause.tokens):
        window = clause.tokens[i : i + len(words)]
        same = token.value == str(option) or (
            not single_letter
            and [canonical(t.word) for t in window] == [canonical(w) for w in words]
        )
        if same:
            matches.append(
                Found(
                    option,
                    i,
                    i + (1 if token.value == str(option) else len(words)),
                    values.lead_of(clause, i),
                )
            )
    return matches


def _nearby_level(parameter: Parameter, clause: Clause) -> list[Found]:
    levels = {canonical(str(option).casefold()): option for option in parameter.enum}
    return [
        Found(levels[_LEVELS[token.concept]], i, i + 1)
        for i, token in enumerate(clause.tokens)
        if token.concept in _LEVELS and _LEVELS[token.concept] in levels
    ]


def _yes_or_no(clause: Clause) -> bool | None:
    for token in clause.tokens:
        if token.word in YES | NO:
            return token.word in YES
    return None


def mentioned_boolean(parameter: Parameter, clause: Clause) -> Found | None:
    """Return true or false when the clause mentions the parameter, with or without a negation."""
    own = parameter.concepts - GENERIC
    for i, token in enumerate(clause.tokens):
        if token.kind == "word" and token.concept in own:
            before = clause.tokens[i - 1].word if i else ""
            after = clause.tokens[i + 1].word if i + 1 < len(clause.tokens) else ""
            denied = before in NO or before in ("jangan", "not", "don't") or after in NO
            return Found(not denied, i, i + 1)
    return None


def list_value(parameter: Parameter, clause: Clause, language: Language) -> list[Any] | None:
    """Return the items of an enumeration as a list that the schema accepts."""
    literal = json_value(clause.text, parameter)
    if isinstance(literal, list):
        return literal
    item = parameter.item()
    typed = [found.value for found in candidates(item, clause, language)]
    if not typed and item.type in ("string", "any") and not item.enum:
        typed = [plain_text(part) for part in _split(clause)]
    unique = list(dict.fromkeys(typed)) if all(isinstance(v, str) for v in typed) else typed
    return next(
        (items for items in (typed, unique, typed[:1]) if items and parameter.accepts(items)), None
    )


def _split(clause: Clause) -> list[Clause]:
    parts, start = [], 0
    for i, token in enumerate((*clause.tokens, None)):
        if token is None or token.word in _LIST_SEPARATORS:
            parts.append(clause.part(start, i))
            start = i + 1
    return [part for part in parts if part.tokens]


def json_value(text: str, parameter: Parameter) -> Any:
    """Return the JSON literal inside a text when the schema accepts it."""
    starts = [position for position in (text.find("{"), text.find("[")) if position >= 0]
    if not starts:
        return None
    value = decode_json(text[min(starts) :])
    return value if value is not None and parameter.accepts(value) else None


def _refuse(name: str) -> None:
    """Refuse `NaN` and `Infinity`, which Python would read although they are not JSON."""
    raise ValueError(name)


def decode_json(text: str) -> Any:
    """Return the JSON value at the beginning of a text, None when there is none."""
    try:
        return json.JSONDecoder(parse_constant=_refuse).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
