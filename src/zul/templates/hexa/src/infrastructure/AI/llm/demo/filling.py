"""Fills the typed parameters of a call from a clause; one value too many becomes one more call."""

from src.infrastructure.AI.llm.demo import values
from src.infrastructure.AI.llm.demo.concepts import RELATED
from src.infrastructure.AI.llm.demo.draft import Draft
from src.infrastructure.AI.llm.demo.places import places
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.schema import Parameter
from src.infrastructure.AI.llm.demo.text import Clause
from src.infrastructure.AI.llm.demo.tool_choice import TELLS
from src.infrastructure.AI.llm.demo.typed import candidates, decode_json, mentioned_boolean
from src.infrastructure.AI.llm.demo.values import Found
from src.infrastructure.AI.llm.demo.vocabulary import GENERIC
from src.infrastructure.AI.llm.demo.words import word_set

_ONE_CALL_EACH = frozenset({"place", "email", "timezone"})
_ONLY_BY_NAME = word_set("number email code expression list")
"""An optional parameter of these roles gets a value only when the message names it."""
_HOURS = frozenset({"time", "hour"})
_FILLED_ELSEWHERE = word_set("content title query string person object")


def fill_typed(draft: Draft) -> None:
    """Give typed parameters their values, required ones first."""
    _fill_from_json(draft)
    _fill_adjacent_numbers(draft)
    for parameter in sorted(draft.tool.parameters, key=lambda p: not p.required):
        role = role_of(parameter)
        if not draft.wants(parameter) or role in _FILLED_ELSEWHERE:
            continue
        if role == "boolean":
            _put_boolean(draft, parameter)
        elif not parameter.required and role in _ONLY_BY_NAME:
            continue
        elif role == "list":
            _put_list(draft, parameter)
        else:
            _put_scalar(draft, parameter)


def _fill_from_json(draft: Draft) -> None:
    start = draft.clause.text.find("{")
    literal = decode_json(draft.clause.text[start:]) if start >= 0 else None
    if isinstance(literal, dict):
        for parameter in draft.tool.parameters:
            if parameter.name in literal and draft.wants(parameter):
                draft.put(parameter, Found(literal[parameter.name], 0, 0))


def _fill_adjacent_numbers(draft: Draft) -> None:
    """Give numbers to the parameters that the word next to them names: `3 malam`, `umur 20`."""
    for parameter in draft.tool.parameters:
        if role_of(parameter) == "number" and draft.wants(parameter):
            found = draft.unused(candidates(parameter, draft.clause, draft.language))
            near = [number for number in found if _is_named(parameter, draft.clause, number)]
            any(draft.put(parameter, number) for number in near)


def _is_named(parameter: Parameter, clause: Clause, found: Found) -> bool:
    own = parameter.concepts - GENERIC
    near = [
        clause.tokens[i].concept
        for i in (found.start - 1, found.end)
        if 0 <= i < len(clause.tokens)
    ]
    return any(
        concept in own or own.intersection(RELATED.get(concept, ())) for concept in near if concept
    )


def _put_boolean(draft: Draft, parameter: Parameter) -> None:
    found = mentioned_boolean(parameter, draft.clause)
    if found:
        draft.put(parameter, found)


def _put_list(draft: Draft, parameter: Parameter) -> None:
    item = parameter.item()
    found = draft.unused(candidates(item, draft.clause, draft.language))
    if not found and item.type in ("string", "any"):
        found = _listed_texts(draft)
    taken = [value for value in found if item.accepts(value.value)]
    if taken and draft.put(parameter, Found([value.value for value in taken], 0, 0)):
        for value in taken:
            draft.use(value.start, value.end)


def _listed_texts(draft: Draft) -> list[Found]:
    """Return what a list of plain texts may hold: addresses, else quotations nobody else needs."""
    addresses = draft.unused(values.tokens_of_kind(draft.clause, "email"))
    if addresses or draft.open_text():
        return addresses
    return draft.unused(values.tokens_of_kind(draft.clause, "quoted"))


def _put_scalar(draft: Draft, parameter: Parameter) -> None:
    found = draft.unused(_scalar_candidates(draft, parameter))
    accepted = [
        value for value in draft.ordered(parameter, found) if parameter.accepts(value.value)
    ]
    if not accepted or not draft.put(parameter, accepted[0]):
        return
    if role_of(parameter) in _ONE_CALL_EACH and _is_only_one_of_its_role(draft, parameter):
        draft.several[parameter.name] = list(dict.fromkeys(value.value for value in accepted))
        for value in accepted:
            draft.use(value.start, value.end)


def _is_only_one_of_its_role(draft: Draft, parameter: Parameter) -> bool:
    role = role_of(parameter)
    return all(
        p is parameter or role_of(p) != role or not p.required for p in draft.tool.parameters
    )


def _scalar_candidates(draft: Draft, parameter: Parameter) -> list[Found]:
    if role_of(parameter) == "number":
        is_hour = bool(_HOURS & parameter.concepts)
        return [
            number
            for number in candidates(parameter, draft.clause, draft.language)
            if is_hour or not _tells_time(draft.clause, number)
        ]
    if role_of(parameter) == "email":
        return _recipients(draft, parameter)
    if role_of(parameter) != "place":
        return candidates(parameter, draft.clause, draft.language)
    found = places(draft.clause, draft.tool.name_concepts - GENERIC)
    inside = [place for place in found if place.lead == "in"]
    return inside or found


def _recipients(draft: Draft, parameter: Parameter) -> list[Found]:
    """Return the addresses in front of the words to pass on: those in them are no recipients."""
    found = candidates(parameter, draft.clause, draft.language)
    tokens = draft.clause.tokens
    told = next((i for i, token in enumerate(tokens) if token.word in TELLS), len(tokens))
    return [address for address in found if address.start < told] or found


def _tells_time(clause: Clause, found: Found) -> bool:
    return found.start > 0 and clause.tokens[found.start - 1].word in ("jam", "pukul", "pkl")
