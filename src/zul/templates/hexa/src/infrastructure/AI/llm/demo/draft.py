"""The arguments of one call while they are being collected from a clause."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.roles import TEXT_ROLES, direction_of, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool
from src.infrastructure.AI.llm.demo.text import Clause
from src.infrastructure.AI.llm.demo.values import Found


@dataclass(slots=True)
class Draft:
    """Arguments found so far, and which tokens of the clause they came from."""

    tool: Tool
    clause: Clause
    language: Language
    args: dict[str, Any] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    """The parameters that this clause gave a value (others may come from an earlier call)."""
    settled: set[str] = field(default_factory=set)
    """The parameters that only their names can give another value."""
    several: dict[str, list[Any]] = field(default_factory=dict)
    """The values of a parameter that was given more than one: one call for each."""

    def wants(self, parameter: Parameter) -> bool:
        """Tell whether the clause has not yet given this parameter a value."""
        return parameter.name not in self.fresh | self.settled

    def lacks(self, parameter: Parameter) -> bool:
        """Tell whether the parameter has no value at all, not even an earlier one."""
        return parameter.name not in self.args

    def use(self, start: int, end: int) -> None:
        """Mark the tokens from `start` up to `end` as belonging to a value."""
        self.used.update(range(start, end))

    def put(self, parameter: Parameter, found: Found) -> bool:
        """Take the value for the parameter if the schema allows it."""
        if not parameter.accepts(found.value):
            return False
        self.args[parameter.name] = found.value
        self.fresh.add(parameter.name)
        self.use(found.start, found.end)
        return True

    def unused(self, candidates: Iterable[Found]) -> list[Found]:
        """Return the candidates that touch no token that was used already."""
        return [
            found
            for found in candidates
            if not self.used.intersection(range(found.start, found.end))
        ]

    def open_text(self, *, lacking: bool = True) -> list[Parameter]:
        """Return the required text parameters that still need a value."""
        still = self.lacks if lacking else self.wants
        return [p for p in self.tool.required if role_of(p) in TEXT_ROLES and still(p)]

    def missing(self) -> list[Parameter]:
        """Return the required parameters that have no value."""
        return [parameter for parameter in self.tool.required if self.lacks(parameter)]

    def ordered(self, parameter: Parameter, candidates: list[Found]) -> list[Found]:
        """Put candidates first whose preposition fits the parameter; drop those of the opposite."""
        direction = direction_of(parameter)
        if not direction:
            return candidates
        opposite = "from" if direction == "to" else "to"
        fitting = [found for found in candidates if found.lead == direction]
        return fitting + [found for found in candidates if found.lead not in (direction, opposite)]
