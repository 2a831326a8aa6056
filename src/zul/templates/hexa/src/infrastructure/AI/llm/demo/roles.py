"""Tells what kind of value a parameter wants from its type, its name and its description."""

from typing import Literal

from .schema import Parameter

Role = Literal[
    "number", "boolean", "list", "object", "enum", "email", "currency", "timezone", "date", "time", "place", "url",
    "expression", "code", "person", "content", "title", "query", "string",
]  # fmt: skip
Direction = Literal["to", "from", ""]

_BY_TYPE: dict[str, Role] = {
    "integer": "number", "number": "number", "boolean": "boolean", "array": "list", "object": "object",
}  # fmt: skip
_BY_FORMAT: dict[str, Role] = {
    "email": "email", "date": "date", "date-time": "date", "time": "time", "uri": "url",
}  # fmt: skip
_PLACES = frozenset("location city place country region destination origin".split())
# In this order: the first group that shares a concept with the name decides.
_BY_NAME: tuple[tuple[Role, frozenset[str]], ...] = (
    ("email", frozenset({"email"})),
    ("currency", frozenset({"currency"})),
    ("timezone", frozenset({"timezone"})),
    ("url", frozenset("url link uri website".split())),
    ("date", frozenset("date day deadline start end when datetime".split())),
    ("time", frozenset({"time", "hour"})),
    ("place", _PLACES),
    ("expression", frozenset({"expression"})),
    ("code", frozenset("id code number sku reference".split())),
    ("content", frozenset("body message text content note description comment answer".split())),
    ("title", frozenset("subject title summarize".split())),
    (
        "query",
        frozenset(
            "query question task prompt input request instruction topic search problem".split()
        ),
    ),
    (
        "person",
        frozenset(
            "name person recipient to user customer employee sender assignee passenger".split()
        ),
    ),
)
_CORRESPONDENTS = frozenset("to recipient cc bcc from sender".split())
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
    return "place" if _PLACES & parameter.described else "string"


def _wants_address(parameter: Parameter) -> bool:
    about_email = "email" in parameter.of_tool or "email" in parameter.described
    return about_email and bool(_CORRESPONDENTS & parameter.concepts)


def direction_of(parameter: Parameter) -> Direction:
    """Return whether the parameter is the start or the goal of something that goes from one to the other."""
    if parameter.concepts & {"from", "origin", "sender"}:
        return "from"
    return "to" if parameter.concepts & {"to", "destination", "recipient"} else ""
