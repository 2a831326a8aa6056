"""Small graphs on the conversation saver, and looks at what they leave."""

from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from src.domain.entities.agents.react.react import AgentState
from src.infrastructure.AI.memory.conversation_saver import ConversationSaver
from src.infrastructure.database.connections import get_database

Graph = CompiledStateGraph[Any, None, Any, Any]
Node = Callable[[AgentState], Any]


def saver(window: int | None = None) -> ConversationSaver:
    database = get_database()
    assert database is not None
    return ConversationSaver(database.state_engine, "chat", database.driver_errors, window=window)


def graph_of(checkpointer: Any, *nodes: Node) -> Graph:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    names = [f"node{number}" for number in range(len(nodes))]
    for name, node in zip(names, nodes, strict=True):
        graph.add_node(name, RunnableLambda(node))
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return graph.compile(checkpointer=checkpointer)


def on(thread_id: str, **configurable: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **configurable}}


def answer(state: AgentState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"answer to {state['messages'][-1].text}")]}


def texts(graph: Graph, **configurable: Any) -> list[str]:
    values = graph.get_state(on("t", **configurable)).values
    messages: list[AnyMessage] = values.get("messages", [])
    return [message.text for message in messages]


def rows(query: str) -> Any:
    database = get_database()
    assert database is not None
    with database.state_engine.connect() as connection:
        return connection.exec_driver_sql(query).fetchall()


def say(graph: Graph, *texts: str) -> None:
    for text in texts:
        graph.invoke({"messages": [HumanMessage(text)]}, on("t"))
