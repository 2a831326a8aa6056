"""Tells what kind of value a parameter wants from its type, its name and its description."""

from collections.abc import Sequence
from typing import Literal

from src.infrastructure.AI.llm.demo.schema import Parameter
from src.infrastructure.AI.llm.demo.words import word_set

Role = Literal[
    "number", "boolean", "list", "object", "enum",
    "email", "currency", "timezone", "date", "time", "place", "url", "expression", "code", "person",
    "content", "title", "query", "string",
]  # fmt: skip
Direction = Literal["to", "from", ""]

_BY_TYPE: dict[str, Role] = {
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "object",
}
_BY_FORMAT: dict[str, Role] = {
    "email": "email",
    "date": "date",
    "date-time": "date",
    "time": "time",
    "uri": "url",
}
_PLACES = word_set("location city place country region destination origin")
# In this order: the first group that shares a concept with the name decides.
_BY_NAME: tuple[tuple[Role, frozenset[str]], ...] = (
    ("email", frozenset({"email"})),
    ("currency", frozenset({"currency"})),
    ("timezone", frozenset({"timezone"})),
    ("url", word_set("url link uri website")),
    ("date", word_set("date day deadline start end when datetime")),
    ("time", frozenset({"time", "hour"})),
    ("place", _PLACES),
    ("expression", frozenset({"expression"})),
    ("code", word_set("id code number sku reference")),
    (
        "content",
        word_set("body message text content note description comment answer"),
    ),
    ("title", word_set("subject title summarize")),
    (
        "query",
        word_set(
            """
            query question task prompt input request instruction topic search problem
            """
        ),
    ),
)
_PERSONS = word_set(
    "name person recipient to user customer employee sender assignee passenger full first last"
)
_CORRESPONDENTS = word_set("to recipient cc bcc from sender")
TEXT_ROLES: frozenset[Role] = frozenset({"content", "title", "query", "string"})


def role_of(parameter: Parameter) -> Role:
    """Return the kind of value `parameter` wants."""
    if parameter.enum:
        return "enum"
    if parameter.type in _BY_TYPE:
        return _BY_TYPE[parameter.type]
    wanted = parameter.options[0].get("format") if parameter.options else None
    if isinstance(wanted, str) and wanted in _BY_FORMAT:
        return _BY_FORMAT[wanted]
    if _wants_address(parameter):
        return "email"
    for role, concepts in _BY_NAME:
        if concepts & parameter.concepts:
            return role
    if parameter.concepts and parameter.concepts <= _PERSONS:
        return "person"
    return "place" if _PLACES & parameter.described else "string"


def _wants_address(parameter: Parameter) -> bool:
    about_email = "email" in parameter.of_tool or "email" in parameter.described
    return about_email and bool(_CORRESPONDENTS & parameter.concepts)


def takes_a_task(parameters: Sequence[Parameter]) -> bool:
    """Tell whether required parameters are one task in words, as a subagent's are."""
    return len(parameters) == 1 and role_of(parameters[0]) == "query"


def direction_of(parameter: Parameter) -> Direction:
    """Return whether the parameter is where something starts or where it goes."""
    if parameter.concepts & {"from", "origin", "sender"}:
        return "from"
    return "to" if parameter.concepts & {"to", "destination", "recipient"} else ""
