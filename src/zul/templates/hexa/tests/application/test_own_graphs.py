"""Agents of other nodes than ours: their conversations survive, too."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from src.application.conversation import INTERRUPTED_TURN_MESSAGE, NO_RESULT_MESSAGE
from src.application.errors import UnanswerablePauseError
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.domain.entities.agents.react.react import AgentState
from tests.application.scenario import asks_for, assert_well_formed, call, on, results_of


class Silent:
    """Watches a stream and keeps nothing of it."""

    def see(self, part: Any) -> None:
        pass


def agent_of(*nodes: Any) -> Any:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    names = [node.__name__ for node in nodes]
    for name, node in zip(names, nodes, strict=True):
        graph.add_node(name, node)
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return graph.compile(checkpointer=InMemorySaver())


def test_a_message_after_a_failure_is_answered() -> None:
    def plan(state: AgentState) -> dict[str, Any]:
        wish = asks_for(call("look", "c1"))
        return {"messages": [wish] if state["messages"][-1].text == "Cari" else []}

    def work(state: AgentState) -> dict[str, Any]:
        if state["messages"][-1].text != "Halo":
            raise RuntimeError
        return {"messages": [AIMessage("Halo juga.")]}

    agent = agent_of(plan, work)
    usecase = ReviewedChatUseCase(agent)
    with pytest.raises(RuntimeError):
        usecase.send_message("Cari", "t")

    assert usecase.send_message("Halo", "t").answer == "Halo juga."

    messages = agent.get_state(on("t")).values["messages"]
    assert_well_formed(messages)
    assert [result.text for result in results_of(messages)] == [NO_RESULT_MESSAGE]
    spoken = [message.text for message in messages if message.text and message.type != "tool"]
    assert spoken == ["Cari", INTERRUPTED_TURN_MESSAGE, "Halo", "Halo juga."]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_pause_that_is_no_review_is_an_error_and_no_dead_end(streamed: bool) -> None:
    def ask(state: AgentState) -> dict[str, Any]:
        if state["messages"][-1].text == "Halo":
            return {"messages": [AIMessage("Halo juga.")]}
        return {"messages": [AIMessage(interrupt("Which one?"))]}

    agent = agent_of(ask)
    usecase = ReviewedChatUseCase(agent)
    watcher = Silent() if streamed else None
    for _ in range(2):
        with pytest.raises(UnanswerablePauseError):
            usecase.send_message("Pilih", "t", watcher=watcher)

    assert usecase.send_message("Halo", "t").answer == "Halo juga."
    assert_well_formed(agent.get_state(on("t")).values["messages"])
