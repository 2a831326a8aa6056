"""Turns the stream of a graph into the steps that the playground and the terminal show."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.tool_calls import is_rejected


class StepEvent(BaseModel):
    """Something that a node added to the conversation.

    ``name`` and ``args`` belong to a tool call, ``name``, ``content`` and ``failed`` to its
    result, ``content`` to a text. ``rejected`` is for the terminal alone: a result that ``failed``
    because a person did not let the call run.
    """

    type: Literal["tool_call", "tool_result", "text"]
    name: str | None = None
    args: dict[str, Any] | None = None
    content: str | None = None
    failed: bool = False
    rejected: SkipJsonSchema[bool] = Field(default=False, exclude=True)


class Step(BaseModel):
    """A node that ran. Depth 1 and more are graphs called inside a tool."""

    node: str
    depth: int
    events: list[StepEvent]


class StepRecorder:
    """Runs an agent and keeps the steps that it took.

    Args:
        agent: what to run.
        on_step: called with each step as soon as it is over.
    """

    def __init__(self, agent: Agent, on_step: Callable[[Step], None] | None = None) -> None:
        self._agent = agent
        self._on_step = on_step
        self.steps: list[Step] = []

    def run(self, graph_input: Any, config: RunnableConfig) -> None:
        """Run the agent on an input; what it ended with is in its stored state."""
        parts = self._agent.stream(
            graph_input, config, stream_mode=["updates"], subgraphs=True, version="v2"
        )
        for part in parts:
            for step in _steps(part["ns"], part["data"]):
                self.steps.append(step)
                if self._on_step is not None:
                    self._on_step(step)


def _steps(namespace: Sequence[str], updates: Any) -> list[Step]:
    if updates.get("__metadata__", {}).get("cached"):
        return []  # over before the run, which tells it again
    return [
        Step(node=node, depth=len(namespace), events=_events(update))
        for node, update in dict(updates).items()
        if not node.startswith("__")
    ]


def _events(update: Any) -> list[StepEvent]:
    updates = update if isinstance(update, list) else [update]
    return [
        event
        for part in updates
        if isinstance(part, dict)
        for message in part.get("messages", [])
        for event in _events_of(message)
    ]


def _events_of(message: BaseMessage) -> Iterable[StepEvent]:
    text = str(message.text)
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        yield StepEvent(
            type="tool_result",
            name=message.name,
            content=text,
            failed=failed,
            rejected=is_rejected(message),
        )
        return
    if text:
        yield StepEvent(type="text", content=text)
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            yield StepEvent(type="tool_call", name=call["name"], args=call["args"])
