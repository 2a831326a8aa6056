"""What the page shows beside a conversation: the agent's graph, its tools, earlier turns."""

from typing import Any

from fastapi import HTTPException
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from src.application.AI.agents.react.react import Agent
from src.application.usecases.conversations import ConversationsUseCase
from src.interface.http.controllers import threads
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.playground.features import Feature
from src.interface.playground.opening import built_agent, existing_feature


class GraphEdge(BaseModel):
    """A way from one node to another; ``conditional`` when the agent decides about it."""

    source: str
    target: str
    conditional: bool


class GraphResponse(BaseModel):
    """The agent's graph; ``__start__`` and ``__end__`` are where it begins and ends."""

    nodes: list[str]
    edges: list[GraphEdge]


class ToolResponse(BaseModel):
    """A tool as the model sees it; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


def draw(name: str) -> GraphResponse:
    """Return the graph of a feature's agent."""
    graph = built_agent(existing_feature(name)).get_graph()
    return GraphResponse(
        nodes=list(graph.nodes),
        edges=[
            GraphEdge(source=edge.source, target=edge.target, conditional=edge.conditional)
            for edge in graph.edges
        ],
    )


def list_tools(name: str) -> list[ToolResponse]:
    """Return the tools whose calls a person may be asked to approve or edit."""
    feature = existing_feature(name)
    described = [convert_to_openai_tool(tool)["function"] for tool in feature.list_tools()]
    return [
        ToolResponse(
            name=tool["name"],
            description=tool.get("description", ""),
            parameters=tool.get("parameters", {}),
        )
        for tool in described
    ]


def show_thread(name: str, thread_id: str) -> ThreadResponse:
    """Return a conversation with a feature's agent."""
    return threads.show(thread_id, _conversations(existing_feature(name)))


def erase_thread(name: str, thread_id: str) -> None:
    """Erase a conversation with a feature's agent."""
    threads.erase(thread_id, _conversations(existing_feature(name)))


def _conversations(feature: Feature) -> ConversationsUseCase:
    agent: Agent = built_agent(feature)
    if not agent.checkpointer:
        raise HTTPException(404, "Percakapan fitur ini tidak disimpan")
    return ConversationsUseCase(agent, stores=feature.stores())
