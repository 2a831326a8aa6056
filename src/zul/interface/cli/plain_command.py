from typing import Any

from typer.core import TyperCommand, TyperGroup

# typer's newer releases have pydantic check each value, and importing that takes as long as all
# the rest of `zul build`. The options here are flags and texts, which are right as they were
# typed. Where a release has no such check, nothing changes.


class PlainCommand(TyperCommand):
    """A command whose options are flags and texts."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_as_typed(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands whose own options are flags and texts."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _taken_as_typed(super().get_params(ctx))


class _AsTyped:
    def coerce(self, value: Any, **_: Any) -> Any:
        return value


def _taken_as_typed(parameters: list[Any]) -> list[Any]:
    for parameter in [each for each in parameters if hasattr(each, "_runtime_param")]:
        parameter._runtime_param = _AsTyped()  # noqa: SLF001 - there is no public way
    return parameters
