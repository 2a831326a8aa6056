"""Reads bound tools: names, descriptions and the JSON schema of their parameters."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .text import concepts_of_texts, concepts_of_words, words_of_name
from .vocabulary import GENERIC

Schema = Mapping[str, Any]
_MAX_REFERENCES = 4
_NO_VALUE = object()


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool (or one property of an object parameter)."""

    name: str
    schema: Schema
    root: Schema
    required: bool
    of_tool: frozenset[str] = frozenset()
    """The concepts in the name of the tool."""

    @cached_property
    def concepts(self) -> frozenset[str]:
        return frozenset(
            concepts_of_words(words_of_name(self.name))
            | set(map(_concept, words_of_name(self.name)))
        )

    @cached_property
    def described(self) -> frozenset[str]:
        return frozenset(concepts_of_texts([self.description]))

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))[:1000]

    @cached_property
    def options(self) -> tuple[Schema, ...]:
        """The alternatives of the schema that are not null, references resolved."""
        return tuple(_alternatives(self.schema, self.root))

    @property
    def type(self) -> str:
        """The JSON type of the first alternative; `any` when the schema leaves it open."""
        return type_of(self.options[0]) if self.options else "any"

    @cached_property
    def enum(self) -> tuple[Any, ...]:
        return tuple(value for option in self.options for value in enum_of(option))

    def accepts(self, value: object) -> bool:
        """Tell whether `value` fits the schema of the parameter."""
        return any(conforms(value, option, self.root) for option in self.options)

    def children(self) -> list["Parameter"]:
        """The properties of an object parameter."""
        option = self.options[0] if self.options else {}
        return _parameters(option, self.root, self.of_tool)


@dataclass(frozen=True)
class Tool:
    """A bound tool as the demo model sees it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    @cached_property
    def name_concepts(self) -> frozenset[str]:
        return frozenset(concepts_of_words(words_of_name(self.name)))

    @cached_property
    def described(self) -> frozenset[str]:
        return frozenset(concepts_of_texts([self.description[:1000]]) - GENERIC)

    @cached_property
    def parameter_concepts(self) -> frozenset[str]:
        return frozenset(concept for p in self.parameters for concept in p.concepts) - GENERIC

    @property
    def required(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.required)

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)


def read_tools(bound: object) -> tuple[Tool, ...]:
    """Return the function tools among OpenAI-style tool definitions; skip everything else."""
    items = bound if isinstance(bound, Sequence) and not isinstance(bound, str) else ()
    return tuple(tool for item in items if (tool := _read_tool(item)) is not None)


def _read_tool(item: object) -> Tool | None:
    function = item.get("function") if isinstance(item, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return None
    schema = function.get("parameters")
    root: Schema = schema if isinstance(schema, Mapping) else {}
    name = function["name"]
    concepts = frozenset(concepts_of_words(words_of_name(name)))
    parameters = tuple(_parameters(root, root, concepts))
    return Tool(name, str(function.get("description") or ""), parameters)


def _parameters(schema: Schema, root: Schema, of_tool: frozenset[str]) -> list[Parameter]:
    properties = schema.get("properties")
    required = schema.get("required")
    names = required if isinstance(required, Sequence) else ()
    return [
        Parameter(
            str(name), part if isinstance(part, Mapping) else {}, root, name in names, of_tool
        )
        for name, part in (properties.items() if isinstance(properties, Mapping) else ())
    ]


def _concept(word: str) -> str:
    return next(iter(concepts_of_words([word])), word)


def _resolve(schema: Schema, root: Schema) -> Schema:
    for _ in range(_MAX_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target: Any = root
        for key in reference.removeprefix("#/").split("/"):
            target = target.get(key, {}) if isinstance(target, Mapping) else {}
        schema = target if isinstance(target, Mapping) else {}
    return schema


def _alternatives(schema: Schema, root: Schema, depth: int = 0) -> list[Schema]:
    schema = _resolve(schema, root)
    if depth < _MAX_REFERENCES:
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            if isinstance(branches, Sequence) and branches:
                parts = [b for b in branches if isinstance(b, Mapping)]
                return [option for part in parts for option in _alternatives(part, root, depth + 1)]
    return [] if schema.get("type") == "null" else [schema]


def enum_of(option: Schema) -> tuple[Any, ...]:
    """Return the values that an `enum` or `const` allows; empty when it allows all."""
    if "const" in option:
        return (option["const"],)
    values = option.get("enum")
    return tuple(v for v in values if v is not None) if isinstance(values, Sequence) else ()


def type_of(option: Schema) -> str:
    """Return the JSON type a schema asks for, `any` when it does not say."""
    kind = option.get("type")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        kind = next((k for k in kind if k != "null"), None)
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in option else "any"


def conforms(value: object, schema: Schema, root: Schema, depth: int = 0) -> bool:
    """Tell whether a JSON value fits the parts of JSON schema that tool parameters use."""
    if depth > 2 * _MAX_REFERENCES:
        return False
    allowed = enum_of(schema)
    if allowed and not any(value == item and type(value) is type(item) for item in allowed):
        return False
    kind = type_of(schema)
    check = _CHECKS.get(kind)
    return check is None or check(value, schema, root, depth)


def _fits_string(value: object, schema: Schema, _root: Schema, _depth: int) -> bool:
    if not isinstance(value, str):
        return False
    pattern = schema.get("pattern")
    return (
        schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        and _fits_format(value, schema.get("format"))
        and (not isinstance(pattern, str) or _matches(pattern, value))
    )


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value[:200]) is not None
    except re.error:
        return False


_FORMATS = {
    "date": r"\d{4}-\d{2}-\d{2}",
    "date-time": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*",
    "time": r"\d{2}:\d{2}.*",
    "email": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "uri": r"\w+://\S+",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}


def _fits_format(value: str, name: object) -> bool:
    pattern = _FORMATS.get(name) if isinstance(name, str) else None
    return pattern is None or re.fullmatch(pattern, value) is not None


def _fits_number(value: object, schema: Schema, _root: Schema, _depth: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    step = schema.get("multipleOf")
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and value > schema.get("exclusiveMinimum", value - 1)
        and value < schema.get("exclusiveMaximum", value + 1)
        and (not step or value % step == 0)
    )


def _fits_integer(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    return isinstance(value, int) and _fits_number(value, schema, root, depth)


def _fits_boolean(value: object, _schema: Schema, _root: Schema, _depth: int) -> bool:
    return isinstance(value, bool)


def _fits_array(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    if not isinstance(value, list):
        return False
    items = schema.get("items")
    part = _alternatives(items, root) if isinstance(items, Mapping) else []
    unique = not schema.get("uniqueItems") or len(
        {json.dumps(v, sort_keys=True) for v in value}
    ) == len(value)
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        and unique
        and all(not part or any(conforms(v, p, root, depth + 1) for p in part) for v in value)
    )


def _fits_object(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    if not isinstance(value, dict):
        return False
    parts = {p.name: p for p in _parameters(schema, root, frozenset())}
    known = all(
        any(conforms(v, o, root, depth + 1) for o in parts[k].options)
        for k, v in value.items()
        if k in parts
    )
    extra = schema.get("additionalProperties", True) is not False or all(
        key in parts for key in value
    )
    return known and extra and all(p.name in value for p in parts.values() if p.required)


_CHECKS = {
    "string": _fits_string,
    "number": _fits_number,
    "integer": _fits_integer,
    "boolean": _fits_boolean,
    "array": _fits_array,
    "object": _fits_object,
}
