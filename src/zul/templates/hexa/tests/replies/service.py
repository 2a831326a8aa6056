"""The three chat endpoints and their streams, over scripted models and the service's stores."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool
from typing_extensions import override

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.react.react import Agent, build_react_agent
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.stores import get_stores
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.main import app
from src.interface.http.streams.responses import get_runs
from tests.application.scenario import Office, asks_for, call, on
from tests.fakes.scripted_model import ScriptedChatModel
from tests.streams.reading import parse

ENDPOINTS = ("/chat", "/hitl/chat", "/subagents/chat")
STREAMS = tuple(f"{path}/stream" for path in ENDPOINTS)
GATED = ("send_email",)
DELEGATE = "desk"


def supervise(messages: Sequence[BaseMessage]) -> AIMessage:
    """A supervisor that passes every message on, and says what it was told."""
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(last.text)
    return asks_for(call(DELEGATE, f"d{len(messages)}", query=last.text))


class Script(ScriptedChatModel):
    """Copies no deeper than need be: Python cannot copy what is nested 600 levels deep."""

    @override
    def _next_reply(self, messages: list[BaseMessage]) -> AIMessage:
        turn = len(self.inputs)
        if turn < len(self.script) and isinstance(self.script[turn], AIMessage):
            self.inputs.append(list(messages))
            reply: AIMessage = self.script[turn]
            return reply.model_copy()
        return super()._next_reply(messages)


@dataclass(frozen=True)
class EndOfStream:
    """What a stream ended with, as the endpoint without streaming would have said it."""

    status_code: int
    body: dict[str, Any]

    @classmethod
    def of(cls, text: str) -> "EndOfStream":
        *_, last, done = parse(text.split("\n"))
        assert done.type == "done"
        body = {"answer": None, "pending_review": None} if last.type != "error" else {}
        return cls(500 if last.type == "error" else 200, {**body, **last.data})

    @property
    def text(self) -> str:
        return json.dumps(self.body)

    def json(self) -> dict[str, Any]:
        return self.body


class Service:
    """One endpoint; ``replies`` are the model's behind it, at ``/subagents`` a subagent's.

    A stream is read to its end, so that a test need not know which of the two it speaks to.
    ``send_email`` needs approval except at ``/chat``, which has no reviews.
    """

    def __init__(
        self,
        path: str,
        *replies: Any,
        tools: Sequence[BaseTool] = (),
        gated: Sequence[str] = GATED,
        supervisor: Sequence[Any] = (supervise,) * 50,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.path = path
        self.office = Office()
        self.model = Script(script=list(replies))
        self.supervisor = ScriptedChatModel(script=list(supervisor))
        self.agent = self._build(list(tools) or self.office.tools, gated, limits)
        self._client: TestClient | None = None

    @contextmanager
    def serving(self) -> Iterator["Service"]:
        stores = get_stores(self._scope)
        chat = ChatUseCase(self.agent, lock=stores.lock, reviews=stores.reviews)
        reviewed = ReviewedChatUseCase(self.agent, lock=stores.lock, reviews=stores.reviews)
        app.dependency_overrides |= {
            chat_controller.get_chat_usecase: lambda: chat,
            hitl_controller.get_reviewed_chat_usecase: lambda: reviewed,
            subagents_controller.get_subagents_chat_usecase: lambda: chat,
            subagents_controller.get_subagents_review_usecase: lambda: reviewed,
        }
        try:
            with TestClient(app, raise_server_exceptions=False) as self._client:
                yield self
        finally:
            app.dependency_overrides.clear()
            get_runs.cache_clear()

    def post(self, path: str, body: Any) -> Any:
        """Send any Python value, also what no well-behaved client can send."""
        return self.post_raw(path, json.dumps(body))

    def post_raw(self, path: str, body: str) -> Any:
        assert self._client is not None
        headers = {"Content-Type": "application/json"}
        response = self._client.post(path, content=body, headers=headers)
        is_stream = response.headers["content-type"].startswith("text/event-stream")
        return EndOfStream.of(response.text) if is_stream else response

    def say(self, message: str, thread_id: str = "t") -> Any:
        return self.post(self.path, {"message": message, "thread_id": thread_id})

    def decide(self, *decisions: Any, thread_id: str = "t") -> Any:
        stream = "/stream" if self.path in STREAMS else ""
        return self.post(
            f"/{self._scope}/review{stream}", {"decisions": list(decisions), "thread_id": thread_id}
        )

    def answer(self, message: str) -> str:
        response = self.say(message)
        assert response.status_code == 200, response.text
        answer = response.json()["answer"]
        assert isinstance(answer, str)
        assert answer.strip()
        return answer

    @property
    def messages(self) -> list[BaseMessage]:
        """What is stored of the conversation that the endpoint keeps."""
        return list(self.agent.get_state(on("t")).values.get("messages", []))

    @property
    def last_input(self) -> list[BaseMessage]:
        """What the model was sent last."""
        return self.model.inputs[-1]

    @property
    def _scope(self) -> str:
        return self.path.split("/")[1]

    def _build(self, tools: Sequence[BaseTool], gated: Sequence[str], limits: Limits) -> Agent:
        checkpointer = get_checkpointer(self._scope)
        if self._scope == "chat":
            return build_react_agent(self.model, tools, checkpointer=checkpointer, limits=limits)
        ledger = get_stores(self._scope).ledger
        if self._scope == "hitl":
            return build_human_in_the_loop_agent(
                self.model, tools, gated, checkpointer, ledger=ledger, limits=limits
            )
        spec = SubagentSpec(DELEGATE, "Does it.", "You do it.", tools, self.model, gated)
        return build_supervisor_agent(
            self.supervisor, [spec], checkpointer=checkpointer, ledger=ledger, limits=limits
        )
