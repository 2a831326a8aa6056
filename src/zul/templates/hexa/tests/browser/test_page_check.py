"""What the page finds wrong about arguments, case by case."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Pages
from tests.browser.servers import Service

CHECK = """
async ([schema, args]) => {
  const { faultsIn } = await import("/playground/page/app/check.js");
  const { parseJson } = await import("/playground/page/app/json.js");
  const line = ({ path, key, types = [], params }) =>
    [path.join("."), key.replace("schema.", ""), ...types, ...Object.values(params)].join(" ");
  return faultsIn(schema, parseJson(args)).map(line);
}
"""

TREE = {
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["name"],
        }
    },
}
ENDLESS = {"properties": {"a": {"$ref": "#/x"}}, "x": {"anyOf": [{"$ref": "#/x"}]}}


def one(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


@pytest.fixture(scope="module")
def page(browser: Any, service: Service) -> Iterator[Page]:
    pages = Pages(browser)
    yield pages.open(service.page)
    pages.close()


@pytest.mark.parametrize(
    ("schema", "args", "faults"),
    [
        (one(type="string"), '{"a": "x"}', []),
        (one(type="string"), '{"a": 1}', ["a type string"]),
        (one(type="string"), '{"a": null}', ["a type string"]),
        (one(type="string"), '{"b": ""}', ["a required"]),
        (one(type="integer"), '{"a": 2.0}', []),
        (one(type="integer"), '{"a": 1152921504606846977}', []),
        (one(type="integer"), '{"a": 2.5}', ["a type integer"]),
        (one(type="integer"), '{"a": "2"}', ["a type integer"]),
        (one(type="number"), '{"a": 1.50}', []),
        (one(type="number"), '{"a": true}', ["a type number"]),
        (one(type="boolean"), '{"a": 0}', ["a type boolean"]),
        (one(type=["string", "null"]), '{"a": null}', []),
        (one(type=["string", "null"]), '{"a": []}', ["a type string null"]),
        (one(type="mystery"), '{"a": 1}', []),
        (one(), '{"a": {}}', []),
        (one(enum=["x", 1]), '{"a": 1.0}', []),
        (one(enum=["x", 1]), '{"a": "y"}', ['a choice "x", 1']),
        (one(const="x"), '{"a": "y"}', ['a choice "x"']),
        (
            one(enum=list(range(50))),
            '{"a": 50}',
            ["a choice 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"],
        ),
        (one(minimum=1), '{"a": 0}', ["a minimum 1"]),
        (one(maximum=1), '{"a": 1}', []),
        (one(exclusiveMaximum=1), '{"a": 1}', ["a exclusiveMaximum 1"]),
        (one(exclusiveMinimum=0), '{"a": 0}', ["a exclusiveMinimum 0"]),
        (one(maximum=1), '{"a": 2}', ["a maximum 1"]),
        (one(minLength=2, maxLength=2), '{"a": "\\ud83d\\ude00x"}', []),
        (one(minLength=1), '{"a": ""}', ["a minLength 1"]),
        (one(maxLength=1), '{"a": "xy"}', ["a maxLength 1"]),
        (one(minItems=1), '{"a": []}', ["a minItems 1"]),
        (one(maxItems=1), '{"a": [1, 2]}', ["a maxItems 1"]),
        (one(items={"type": "string"}), '{"a": ["x", 1]}', ["a.2 type string"]),
        (
            one(prefixItems=[{"type": "integer"}], items={"type": "string"}),
            '{"a": ["x", 1]}',
            ["a.1 type integer", "a.2 type string"],
        ),
        (one(anyOf=[{"type": "integer"}, {"type": "string"}]), '{"a": "x"}', []),
        (
            one(anyOf=[{"type": "integer"}, {"type": "string"}]),
            '{"a": null}',
            ["a type integer string"],
        ),
        (
            one(oneOf=[{"type": "null"}, one(type="string")]),
            '{"a": {"a": 1}}',
            ["a.a type string"],
        ),
        (one(allOf=[{"type": "integer"}, {"minimum": 3}]), '{"a": 2}', ["a minimum 3"]),
        ({**one(), "additionalProperties": False}, '{"a": 1, "b": 2}', ["b unknown"]),
        (
            {**one(), "additionalProperties": {"type": "string"}},
            '{"a": 1, "b": 2}',
            ["b type string"],
        ),
        (
            {**one(), "additionalProperties": False, "patternProperties": {"^x": {}}},
            '{"a": 1, "xy": 2}',
            [],
        ),
        (one(), '{"a": 1, "constructor": 2, "__proto__": 3}', []),
        (
            {**one(), "additionalProperties": False},
            '{"a": 1, "__proto__": 3}',
            ["__proto__ unknown"],
        ),
        (TREE, '{"root": {"name": "x", "next": {"name": 1}}}', ["root.next.name type string"]),
        (TREE, '{"root": {"next": {"name": "x"}}}', ["root.name required"]),
        (ENDLESS, '{"a": 1}', []),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, '{"a": 1}', []),
        ({}, '{"a": 1}', []),
        (None, '{"a": 1}', []),
    ],
)
def test_faults(page: Page, schema: Any, args: str, faults: list[str]) -> None:
    assert page.evaluate(CHECK, [schema, args]) == faults
