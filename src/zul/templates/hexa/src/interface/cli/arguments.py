"""Tells beforehand what a tool would not take; sent on, it would use up the review."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from src.interface.cli.editor import EditError
from src.interface.cli.visible import visible


def check_arguments(name: str, args: Mapping[str, Any], tools: Sequence[BaseTool]) -> None:
    """Check edited arguments like the tool itself does.

    Subagents may have several tools of one name; what one of them takes is left to the service.

    Raises:
        EditError: with every argument at fault.
    """
    faults = [_fault(tool, args) for tool in tools if tool.name == name]
    if faults and all(faults):
        raise EditError(f"Argumen ditolak: {faults[0]}")


def _fault(tool: BaseTool, args: Mapping[str, Any]) -> str | None:
    schema = tool.tool_call_schema
    # A tool that is described by a bare JSON schema checks nothing before it runs.
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return None
    try:
        schema.model_validate(args)
    except ValidationError as error:
        return "; ".join(
            visible(f"{'.'.join(map(str, one['loc']))}: {one['msg']}") for one in error.errors()
        )
    return None
