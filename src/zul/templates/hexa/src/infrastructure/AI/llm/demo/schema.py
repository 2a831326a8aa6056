"""Reads bound tools: their names, descriptions and parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from src.infrastructure.AI.llm.demo.json_schema import (
    Schema,
    alternatives,
    enum_of,
    fits,
    properties_of,
    required_of,
    type_of,
)
from src.infrastructure.AI.llm.demo.text import (
    concepts_of_texts,
    concepts_of_words,
    words_of_name,
)
from src.infrastructure.AI.llm.demo.vocabulary import GENERIC, canonical

_READ_OF_DESCRIPTION = 1000


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool, or one property of an object parameter.

    Attributes:
        root: the schema that references point into.
        of_tool: the concepts in the name of the tool.
    """

    name: str
    schema: Schema
    root: Schema
    required: bool
    of_tool: frozenset[str] = frozenset()

    @cached_property
    def concepts(self) -> frozenset[str]:
        """The concepts in the name, prepositions (`to`, `from`) included."""
        words = words_of_name(self.name)
        return frozenset(concepts_of_words(words) | {canonical(word) for word in words})

    @cached_property
    def described(self) -> frozenset[str]:
        """The concepts in the description."""
        return frozenset(concepts_of_texts([self.description]))

    @property
    def description(self) -> str:
        """What the tool's author says about the parameter."""
        return str(self.schema.get("description") or "")[:_READ_OF_DESCRIPTION]

    @cached_property
    def options(self) -> tuple[Schema, ...]:
        """The alternatives of the schema that are not null."""
        return tuple(alternatives(self.schema, self.root))

    @property
    def type(self) -> str:
        """The JSON type of the first alternative; `any` when the schema leaves it open."""
        return type_of(self.options[0]) if self.options else "any"

    @cached_property
    def enum(self) -> tuple[Any, ...]:
        """The only values allowed; empty when there is no such list."""
        return tuple(value for option in self.options for value in enum_of(option))

    def accepts(self, value: object) -> bool:
        """Tell whether `value` fits the schema of the parameter."""
        return fits(value, self.schema, self.root)

    def item(self) -> "Parameter":
        """Return what one item of a list parameter wants, as a parameter of its own."""
        items = self.options[0].get("items") if self.options else None
        schema = items if isinstance(items, Mapping) else {}
        return Parameter(self.name, schema, self.root, required=True, of_tool=self.of_tool)

    def children(self) -> tuple["Parameter", ...]:
        """Return the properties of an object parameter."""
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
        """The concepts in the name."""
        return frozenset(concepts_of_words(words_of_name(self.name)))

    @cached_property
    def described(self) -> frozenset[str]:
        """The concepts in the description that tell something."""
        return frozenset(concepts_of_texts([self.description[:_READ_OF_DESCRIPTION]]) - GENERIC)

    @cached_property
    def parameter_concepts(self) -> frozenset[str]:
        """The concepts in the names of the parameters that tell something."""
        return frozenset(concept for p in self.parameters for concept in p.concepts) - GENERIC

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters a call cannot do without."""
        return tuple(parameter for parameter in self.parameters if parameter.required)


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
    description = str(function.get("description") or "")
    return Tool(name, description, _parameters(root, root, concepts))


def _parameters(schema: Schema, root: Schema, of_tool: frozenset[str]) -> tuple[Parameter, ...]:
    required = required_of(schema)
    return tuple(
        Parameter(name, part, root, name in required, of_tool)
        for name, part in properties_of(schema).items()
    )
