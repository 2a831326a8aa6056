from typing import Any

from typer.core import TyperCommand


class PlainCommand(TyperCommand):
    """A command whose options are flags and texts, taken as they were typed.

    typer's newer releases have pydantic check each value, and importing that takes as long as all
    the rest of `zul build`. Where a release has no such check, nothing changes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        checked: list[Any] = [each for each in self.params if hasattr(each, "_runtime_param")]
        for parameter in checked:
            parameter._runtime_param = _AsTyped()  # noqa: SLF001 - there is no public way


class _AsTyped:
    def coerce(self, value: Any, **_: Any) -> Any:
        return value
