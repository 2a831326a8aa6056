"""Which tool calls need a person's approval."""

import copy
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool

from src.application.errors import AgentDefinitionError

logger = logging.getLogger(__name__)

Condition = Callable[[dict[str, Any]], bool]
"""Takes the call's arguments and tells whether this call needs approval."""

ToolsRequiringApproval = Collection[str] | Mapping[str, Condition | None]
"""Tool names, or tool names with the condition under which they need approval."""


class ApprovalPolicy:
    """Decides for each call whether a person has to approve it."""

    def __init__(self, tools_requiring_approval: ToolsRequiringApproval) -> None:
        if isinstance(tools_requiring_approval, str):
            msg = (
                "tools_requiring_approval takes a collection of tool names, "
                f"not the single text {tools_requiring_approval!r}"
            )
            raise AgentDefinitionError(msg)
        self._conditions = _conditions(tools_requiring_approval)

    def check_against(self, tools: Sequence[BaseTool]) -> None:
        """Refuse a policy that names something that is no tool.

        Raises:
            ValueError: with the unknown names; a misspelt name would leave its tool unguarded.
        """
        known = {tool.name for tool in tools}
        unknown = sorted(self._conditions.keys() - known)
        if unknown:
            msg = (
                f"tools_requiring_approval names unknown tools: {unknown}. "
                f"The tools are: {sorted(known)}"
            )
            raise AgentDefinitionError(msg)

    def requires(self, call: ToolCall) -> bool:
        """Tell whether this call needs approval. A condition that raises means that it does.

        A condition gets a copy: what it changes must not become what is shown, run or stored.
        """
        if call["name"] not in self._conditions:
            return False
        condition = self._conditions[call["name"]]
        if condition is None:
            return True
        try:
            return bool(condition(copy.deepcopy(call["args"])))
        except Exception:
            logger.exception("The approval condition of %s raised", call["name"])
            return True


def _conditions(required: Any) -> dict[str, Condition | None]:
    conditions: dict[str, Any] = (
        dict(required) if isinstance(required, Mapping) else dict.fromkeys(required)
    )
    for name, condition in conditions.items():
        if not (condition is None or callable(condition)):
            msg = (
                f"The approval condition of {name!r} must be a function of the arguments "
                f"or None, got {condition!r}"
            )
            raise AgentDefinitionError(msg)
    return conditions


def is_review_request(value: Any) -> bool:
    """Tell whether a pause asks for decisions in the review format, each with its config."""
    actions = _dicts_in(value, "action_requests")
    configs = _dicts_in(value, "review_configs")
    return (
        0 < len(actions) == len(configs)
        and all(
            isinstance(action.get("name"), str)
            and isinstance(action.get("args"), dict)
            and isinstance(action.get("description"), str)
            for action in actions
        )
        and all(
            isinstance(config.get("action_name"), str)
            and isinstance(config.get("allowed_decisions"), list)
            for config in configs
        )
    )


def _dicts_in(value: Any, key: str) -> list[dict[str, Any]]:
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        return []
    return found


NO_APPROVALS = ApprovalPolicy(())
"""The policy of an agent whose tools may all run unasked."""
