"""One conversation of one agent, as whoever holds its lock sees it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    SHOWN_ACTIONS,
)
from src.application.AI.agents.tool_calls import (
    error_result,
    has_raised,
    trailing_results,
    unanswered_tool_calls,
    without_raised_mark,
)
from src.application.compute_queue import compute_queue
from src.application.reviews import Pause, asked_reviews, pause_of

WHOLE_HISTORY = "whole_history"
"""In the config: load all messages, also where the store would load the newest ones only."""

INTERRUPTED_TURN_MESSAGE = "Maaf, permintaan ini berhenti sebelum selesai."
"""The answer that a turn without one gets when the conversation goes on."""

NO_RESULT_MESSAGE = (
    "The service stopped before this call had a result. It is unknown whether it took effect."
)


class ChatAgent(Protocol):
    """Anything that answers a conversation: a compiled graph, or a stand-in for one."""

    def invoke(self, input: Any, config: RunnableConfig | None = None) -> Any:  # noqa: A002
        """Return the final state, with the conversation under ``messages``."""
        ...


@runtime_checkable
class StatefulAgent(ChatAgent, Protocol):
    """A compiled graph with a checkpointer."""

    def get_state(self, config: RunnableConfig) -> Any:
        """Return the stored state of the thread."""
        ...

    def update_state(self, config: RunnableConfig, values: Any, as_node: str | None = None) -> Any:
        """Change the stored state as if ``as_node`` had."""
        ...


Runner = Callable[[Any, RunnableConfig], Any]
"""Runs the agent on an input; how it is watched meanwhile is the caller's business."""


class Watcher(Protocol):
    """Sees what an agent does while it runs; what was over before the run is not shown again."""

    def see(self, part: Mapping[str, Any]) -> None:
        """Take one part of the graph's stream: type ``tasks`` or ``messages``, with namespace."""
        ...


def watched(agent: Any, watcher: Watcher) -> Runner:
    """Return a runner that shows everything to ``watcher``.

    What the run ended with is in the stored state.
    """

    def run(graph_input: Any, config: RunnableConfig) -> None:
        modes = ["tasks", "messages"]
        if graph_input is None or isinstance(graph_input, Command):
            # A run that goes on announces every task of its step, also those that are over; which
            # these are is in the checkpoint that comes before.
            modes.append("checkpoints")
        parts = agent.stream(graph_input, config, stream_mode=modes, subgraphs=True, version="v2")
        with compute_queue.waiting():  # LangGraph streams from threads of its own
            _show(parts, watcher)

    return run


def _show(parts: Iterable[Mapping[str, Any]], watcher: Watcher) -> None:
    over: set[str] = set()
    for part in parts:
        data = part["data"]
        if part["type"] == "checkpoints":
            over.update(task["id"] for task in data["tasks"] if task.get("result"))
        elif part["type"] == "messages" or data["id"] not in over:
            watcher.see(part)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is stored of a conversation.

    Attributes:
        exists: something is stored under this thread id.
        unfinished: steps are left that nobody is taking.
        pause: the actions that wait for a person.
        asks_otherwise: a node waits for an answer that is no review; nobody can give one.
    """

    messages: list[AnyMessage]
    exists: bool
    unfinished: bool
    pause: Pause | None
    asks_otherwise: bool = False

    @property
    def review_id(self) -> str | None:
        """The pause's id, if there is one."""
        return self.pause.review_id if self.pause else None


class Conversation:
    """Reads, runs and repairs one thread of an agent. The caller holds the thread's lock."""

    def __init__(self, agent: StatefulAgent, thread_id: str, max_steps: int) -> None:
        self.thread_id = thread_id
        self._agent = agent
        self._config = RunnableConfig(
            configurable={"thread_id": thread_id},
            # LangGraph takes a single step, stores it, and then fails all the same.
            recursion_limit=max(max_steps, 2),
        )

    def look(self, *, whole: bool = False) -> Snapshot:
        """Return what is stored now.

        Args:
            whole: with all messages, also those that a run would not load any more.
        """
        configurable = {**self._config["configurable"], WHOLE_HISTORY: whole}
        state = self._agent.get_state({**self._config, "configurable": configurable})
        interrupts = [i for task in state.tasks for i in task.interrupts]
        reviews = asked_reviews(interrupts)
        return Snapshot(
            messages=list(state.values.get("messages", [])),
            exists=state.created_at is not None,
            # Not ``state.next``: it is empty between a step's last write and its checkpoint.
            unfinished=bool(state.tasks),
            pause=pause_of(self.thread_id, reviews),
            asks_otherwise=len(reviews) < len(interrupts),
        )

    def say(self, message: str, run: Runner, *, closing: Sequence[AnyMessage] = ()) -> Any:
        """Start a turn with the user's message, behind what closes the turn before it."""
        return run({"messages": [*closing, HumanMessage(message)]}, self._config)

    def carry_out(self, values: dict[str, Any], run: Runner) -> Any:
        """Answer those of these interrupts that still wait, or retry what a crash cut off.

        Returns:
            The agent's result; ``None`` when there was nothing left to do.
        """
        snapshot = self.look()
        waiting = {i.id for i in snapshot.pause.interrupts} if snapshot.pause else set()
        unanswered = {key: value for key, value in values.items() if key in waiting}
        if unanswered:
            return self._resume(unanswered, run)
        if snapshot.unfinished and not waiting:
            return self.retry(snapshot, run)
        return None

    def retry(self, snapshot: Snapshot, run: Runner) -> Any:
        """Try an unfinished turn again from where it stopped; what has run is not run again."""
        results = trailing_results(snapshot.messages)
        is_step_over = not unanswered_tool_calls(snapshot.messages)
        if is_step_over and any(map(has_raised, results)):
            # All of them: an update forgets what the tasks of a step that a crash cut off wrote.
            update = [without_raised_mark(m) if has_raised(m) else m for m in results]
            self._agent.update_state(self._config, {"messages": update}, as_node="tool_node")
        return run(None, self._config)

    def _resume(self, values: dict[str, Any], run: Runner) -> Any:
        shown = [action for value in values.values() for action in value.get("action_requests", ())]
        configurable = {**self._config["configurable"], SHOWN_ACTIONS: shown}
        return run(Command(resume=values), {**self._config, "configurable": configurable})


def _last_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    from_user = (i for i in reversed(range(len(messages))) if isinstance(messages[i], HumanMessage))
    return list(messages[next(from_user, 0) :])


def closing_of(snapshot: Snapshot) -> list[AnyMessage]:
    """Return what ends a turn in front of the next one: each call has a result, the user an answer.

    It goes into the new turn's input, so it does not matter what the graph's nodes are called.
    """
    if not snapshot.unfinished and is_answered(snapshot.messages):
        return []
    # All of the turn again: an input forgets what a step that a crash cut off has written.
    closing = _last_turn(snapshot.messages)
    closing += [error_result(c, NO_RESULT_MESSAGE) for c in unanswered_tool_calls(closing)]
    if not is_answered(closing):
        closing.append(AIMessage(INTERRUPTED_TURN_MESSAGE))
    return closing


def is_answered(messages: Sequence[AnyMessage]) -> bool:
    """Tell whether the last turn came to its answer."""
    return not messages or (isinstance(messages[-1], AIMessage) and not messages[-1].tool_calls)


def last_user_text(messages: Sequence[AnyMessage]) -> str | None:
    """Return the newest message of the user."""
    return next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), None)
