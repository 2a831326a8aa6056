"""Checks JSON values against the parts of JSON schema that the parameters of tools use."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_MAX_REFERENCES = 4
_MAX_DEPTH = 8
_MAX_PATTERN_INPUT = 200
_FORMATS = {
    "date": r"\d{4}-\d{2}-\d{2}",
    "date-time": r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*",
    "time": r"\d{2}:\d{2}.*",
    "email": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "uri": r"\w+://\S+",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}


def alternatives(schema: object, root: Schema, depth: int = 0) -> list[Schema]:
    """Return the alternatives of a schema that are not null, references resolved."""
    resolved = _resolve(schema if isinstance(schema, Mapping) else {}, root)
    if depth < _MAX_REFERENCES:
        for key in ("anyOf", "oneOf", "allOf"):
            branches = resolved.get(key)
            if isinstance(branches, Sequence) and branches:
                return [part for b in branches for part in alternatives(b, root, depth + 1)]
    return [] if resolved.get("type") == "null" else [resolved]


def properties_of(schema: Schema) -> dict[str, Schema]:
    """Return the properties of an object schema."""
    properties = schema.get("properties")
    items = properties.items() if isinstance(properties, Mapping) else ()
    return {str(name): part if isinstance(part, Mapping) else {} for name, part in items}


def required_of(schema: Schema) -> Sequence[str]:
    """Return the names of the properties an object must have."""
    required = schema.get("required")
    return required if isinstance(required, Sequence) and not isinstance(required, str) else ()


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


def fits(value: object, schema: object, root: Schema, depth: int = 0) -> bool:
    """Tell whether a JSON value is what a schema asks for; null never is."""
    return depth <= _MAX_DEPTH and any(
        _fits_option(value, option, root, depth) for option in alternatives(schema, root)
    )


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


def _fits_option(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    allowed = enum_of(schema)
    if allowed and not any(value == item and type(value) is type(item) for item in allowed):
        return False
    check = _CHECKS.get(type_of(schema))
    return check is None or check(value, schema, root, depth)


def _fits_string(value: object, schema: Schema, _root: Schema, _depth: int) -> bool:
    if not isinstance(value, str):
        return False
    patterns = (_FORMATS.get(str(schema.get("format"))), schema.get("pattern"))
    return (
        schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        and (patterns[0] is None or re.fullmatch(patterns[0], value) is not None)
        and (not isinstance(patterns[1], str) or _matches(patterns[1], value))
    )


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value[:_MAX_PATTERN_INPUT]) is not None
    except re.error:
        return False


def _fits_number(value: object, schema: Schema, _root: Schema, _depth: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    step = schema.get("multipleOf")
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and not value <= schema.get("exclusiveMinimum", float("-inf"))
        and not value >= schema.get("exclusiveMaximum", float("inf"))
        and (not step or value % step == 0)
    )


def _fits_integer(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    return isinstance(value, int) and _fits_number(value, schema, root, depth)


def _fits_boolean(value: object, _schema: Schema, _root: Schema, _depth: int) -> bool:
    return isinstance(value, bool)


def _fits_array(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    if not isinstance(value, list):
        return False
    distinct = {json.dumps(item, sort_keys=True) for item in value}
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        and (not schema.get("uniqueItems") or len(distinct) == len(value))
        and all(fits(item, schema.get("items", {}), root, depth + 1) for item in value)
    )


def _fits_object(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    if not isinstance(value, dict) or any(name not in value for name in required_of(schema)):
        return False
    known, extra = properties_of(schema), schema.get("additionalProperties", True)
    parts = {name: known.get(name, extra if isinstance(extra, Mapping) else {}) for name in value}
    return (extra is not False or value.keys() <= known.keys()) and all(
        fits(value[name], part, root, depth + 1) for name, part in parts.items()
    )


_CHECKS: Mapping[str, Callable[[object, Schema, Schema, int], bool]] = {
    "string": _fits_string,
    "number": _fits_number,
    "integer": _fits_integer,
    "boolean": _fits_boolean,
    "array": _fits_array,
    "object": _fits_object,
}
