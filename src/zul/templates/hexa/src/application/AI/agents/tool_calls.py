"""Questions about tool calls and their results that every agent asks."""

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from src.application.errors import (
    ModelCallError,
    ModelTimeoutError,
    ServiceError,
    ToolFailedError,
)

_RAISED = "tool_raised"
_REJECTED = "rejected_by_person"
_MODEL_ERRORS = {kind.__name__: kind for kind in (ModelTimeoutError, ModelCallError)}
TOOL_NAME_PATTERN = "^[A-Za-z0-9_.:-]{1,128}$"


def is_tool_name(name: object) -> bool:
    """Tell whether providers take ``name`` back as the name of a call, known tool or not."""
    return isinstance(name, str) and re.fullmatch(TOOL_NAME_PATTERN, name) is not None


def is_json_object(text: object) -> bool:
    """Tell whether ``text`` is exactly one JSON object, as a call's arguments are sent."""
    if not isinstance(text, str):
        return False
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def last_ai_message(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """Return the newest message of the model."""
    return next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)


def turn_id(messages: Sequence[AnyMessage]) -> str | None:
    """Return the id of the user's message that the turn began with: this service gave it."""
    return next((m.id for m in reversed(messages) if isinstance(m, HumanMessage)), None)


def unanswered_tool_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """Return the calls of the newest model message that have no result yet, in their order."""
    # Only results behind the message: some models number their calls anew in every reply.
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return [call for call in message.tool_calls if call["id"] not in answered]
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
    return []


def error_result(call: ToolCall, text: str) -> ToolMessage:
    """Return a result that tells the model why the call has none."""
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")


def rejected_result(call: ToolCall, text: str) -> ToolMessage:
    """Return the result of a call that a person did not let run: ``text`` tells the model."""
    result = error_result(call, text)
    result.response_metadata = {_REJECTED: True}
    return result


def is_rejected(message: AnyMessage) -> bool:
    """Tell whether ``message`` is the result of a call that a person did not let run."""
    return isinstance(message, ToolMessage) and bool(message.response_metadata.get(_REJECTED))


def raised_result(call: ToolCall, error: BaseException | None = None) -> ToolMessage:
    """Return the result of a tool that raised: it closes the call and is known as a failure.

    The exception's text stays in the log; it may hold paths or keys. Of a subagent whose chat
    model failed the result keeps just that.
    """
    result = error_result(
        call, f"Error: {call['name']} failed. It may or may not have had an effect."
    )
    result.response_metadata = {_RAISED: type(error).__name__}
    return result


def failure_in(result: ToolMessage) -> ServiceError:
    """Return the failure that a result of a tool that raised stands for."""
    model_error = _MODEL_ERRORS.get(result.response_metadata[_RAISED])
    return model_error() if model_error else ToolFailedError(result.name or "")


def has_raised(message: AnyMessage) -> bool:
    """Tell whether ``message`` is the result of a tool that raised."""
    return isinstance(message, ToolMessage) and bool(message.response_metadata.get(_RAISED))


def without_raised_mark(message: ToolMessage) -> ToolMessage:
    """Return the same result, from now on an ordinary error that the model may read."""
    return message.model_copy(update={"response_metadata": {}})


def trailing_results(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    """Return the tool results at the end of the history, oldest first."""
    results: list[ToolMessage] = []
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            break
        results.append(message)
    return results[::-1]
