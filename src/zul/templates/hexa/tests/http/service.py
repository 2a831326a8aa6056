"""The whole service over a scripted model: what a client sees, and what lies behind it."""

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.subagents.subagents import SubagentSpec
from src.infrastructure.database.stores import close_stores
from src.infrastructure.settings import Settings
from src.interface.http.building import BuiltOnce
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.main import create_app
from tests.application.scenario import Office, on
from tests.fakes.scripted_model import ScriptedChatModel

CONTROLLERS = (chat_controller, hitl_controller, subagents_controller)
CHATS = ("/chat", "/hitl/chat", "/subagents/chat")
AGENTS: dict[str, Any] = {
    "/chat": chat_controller.get_react_agent,
    "/hitl/chat": hitl_controller.get_human_in_the_loop_agent,
    "/subagents/chat": subagents_controller.get_supervisor_agent,
}
USE_CASES = (
    chat_controller.get_chat_usecase,
    hitl_controller.get_reviewed_chat_usecase,
    subagents_controller.get_subagents_chat_usecase,
)


def forget_what_was_built() -> None:
    """Do what a restart does: the next request builds agents, use cases and stores anew."""
    for controller in CONTROLLERS:
        for builder in vars(controller).values():
            if isinstance(builder, BuiltOnce):
                builder.cache_clear()
    close_stores()


class Service:
    """The application as it is put together for production, but for the chat model and the tools.

    The emails of the human-in-the-loop agent and of the subagent ``clerk`` need approval.
    """

    def __init__(self, app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app = app
        self.client = client
        self.office = Office()
        self.model = ScriptedChatModel(script=[])
        self._monkeypatch = monkeypatch
        for controller in CONTROLLERS:
            monkeypatch.setattr(controller, "get_llm_model", lambda: self.model)
        self.use_tools(*self.office.tools, gated={"send_email"})

    def use_tools(self, *tools: BaseTool, gated: set[str]) -> None:
        """Give every agent these tools; works until the first request, as for any owner."""
        clerk = SubagentSpec(
            name="clerk",
            description="Does what the tools can do.",
            system_prompt="You are a clerk.",
            tools=tools,
            tools_requiring_approval=gated,
        )
        self._monkeypatch.setattr(chat_controller, "TOOLS", list(tools))
        self._monkeypatch.setattr(hitl_controller, "TOOLS", list(tools))
        self._monkeypatch.setattr(hitl_controller, "TOOLS_REQUIRING_APPROVAL", gated)
        self._monkeypatch.setattr(subagents_controller, "SUBAGENTS", [clerk])

    def model_says(self, *replies: Any) -> None:
        self.model.script.extend(replies)

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(path, json=body)

    def chat(self, message: str, thread_id: str = "t", path: str = "/chat") -> Any:
        return self.post(path, message=message, thread_id=thread_id)

    def review(
        self, *decisions: Any, thread_id: str = "t", path: str = "/hitl/review", **more: Any
    ) -> Any:
        return self.post(path, thread_id=thread_id, decisions=list(decisions), **more)

    def agent(self, path: str = "/chat") -> Agent:
        agent: Agent = AGENTS[path]()
        return agent

    def messages(self, path: str = "/chat", thread_id: str = "t") -> list[BaseMessage]:
        """What is stored of a conversation."""
        state = self.agent(path).get_state(on(thread_id))
        return list(state.values.get("messages", []))

    def checkpoints(self, path: str = "/chat", thread_id: str = "t") -> int:
        return len(list(self.agent(path).get_state_history(on(thread_id))))


@contextlib.contextmanager
def running_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Run the application with the settings of this moment, from its start to its end."""
    app = _application(playground=Settings().playground_enabled)
    with TestClient(app) as client:
        yield Service(app, client, monkeypatch)
    app.dependency_overrides.clear()


@lru_cache
def _application(*, playground: bool) -> FastAPI:
    """Put the application together once for all tests: all it reads at that time is this."""
    return create_app(Settings(playground_enabled=playground))
