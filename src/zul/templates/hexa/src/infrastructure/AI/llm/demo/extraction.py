"""Turns a clause and a tool into calls: the arguments it gives and the ones it lacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from src.infrastructure.AI.llm.demo.draft import Draft
from src.infrastructure.AI.llm.demo.filling import fill_typed
from src.infrastructure.AI.llm.demo.free_text import derive_titles, fill_text
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.markers import fill_marked
from src.infrastructure.AI.llm.demo.people import fill_people
from src.infrastructure.AI.llm.demo.roles import TEXT_ROLES, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool
from src.infrastructure.AI.llm.demo.text import Clause
from src.infrastructure.AI.llm.demo.typed import typed_value
from src.infrastructure.AI.llm.demo.values import Found

_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Intent:
    """A wish for one tool: complete calls, or the parameters still to be asked for."""

    tool: Tool
    calls: tuple[dict[str, Any], ...]
    known: Mapping[str, Any]
    missing: tuple[Parameter, ...]
    fresh: frozenset[str]
    """The parameters that this clause itself gave a value."""


def extract(
    tool: Tool, clause: Clause, language: Language, base: Mapping[str, Any] | None = None
) -> Intent:
    """Return what `clause` wants of `tool`; `base` holds arguments known from before."""
    draft = Draft(tool, clause, language, dict(base or {}))
    fill(draft)
    return _intent(draft)


def complete(tool: Tool, clause: Clause, language: Language, base: Mapping[str, Any]) -> Intent:
    """Return the intent of an answer to a question: its text may simply be the missing value."""
    draft = Draft(tool, clause, language, dict(base))
    asked = sorted(draft.missing(), key=lambda p: role_of(p) != "content")
    fill_marked(draft)
    draft.settled |= base.keys()
    fill_typed(draft)
    for parameter in asked:
        if draft.lacks(parameter) and (role_of(parameter) not in TEXT_ROLES or not draft.fresh):
            value = typed_value(parameter, clause, language)
            if value is not None and draft.put(parameter, Found(value, 0, 0)):
                break
    fill_text(draft)
    return _intent(draft)


def fill(draft: Draft, depth: int = 0) -> None:
    """Collect the arguments: named ones first, then typed ones, then free text."""
    fill_marked(draft)
    fill_typed(draft)
    _fill_objects(draft, depth)
    fill_people(draft)
    fill_text(draft)
    derive_titles(draft)


def _fill_objects(draft: Draft, depth: int) -> None:
    for parameter in draft.tool.required:
        children = tuple(parameter.children()) if role_of(parameter) == "object" else ()
        if children and draft.wants(parameter) and depth < _MAX_DEPTH:
            inner = Draft(
                Tool(parameter.name, "", children),
                draft.clause,
                draft.language,
                used=set(draft.used),
            )
            fill(inner, depth + 1)
            if draft.put(parameter, Found(inner.args, 0, 0)):
                draft.used |= inner.used


def _intent(draft: Draft) -> Intent:
    missing = tuple(draft.missing())
    calls = () if missing else tuple(_fan_out(draft))
    return Intent(draft.tool, calls, dict(draft.args), missing, frozenset(draft.fresh))


def _fan_out(draft: Draft) -> list[dict[str, Any]]:
    names = [parameter.name for parameter in draft.tool.parameters]
    calls = [{name: draft.args[name] for name in names if name in draft.args}]
    for name, values in draft.several.items():
        calls = [{**call, name: value} for call in calls for value in values]
    return calls
