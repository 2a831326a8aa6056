"""The baseline of LangGraph's own parts: prebuilt agent, review middleware, stock savers."""

import os
import sqlite3
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.memory import InMemorySaver
from src.infrastructure.AI.tools.email_tool import send_email
from src.infrastructure.AI.tools.weather_tool import get_weather

from benchmarks.subjects.model import OneRoundModel

SYSTEM_PROMPT = "You are a helpful assistant."


def stock_saver() -> Any:
    """Return the saver that LangGraph brings for ``DATABASE_URL``."""
    url = os.environ.get("DATABASE_URL", "")
    if url.startswith("sqlite:///"):
        from langgraph.checkpoint.sqlite import SqliteSaver

        path = url.removeprefix("sqlite:///")
        return SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    if url:
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool

        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        saver = PostgresSaver(ConnectionPool(url, kwargs=options, max_size=10, open=True))
        saver.setup()
        return saver
    return InMemorySaver()


def stock_agent(checkpointer: Any = None) -> Any:
    """Return the prebuilt agent with the review middleware, for the tools of the template."""
    return create_agent(
        OneRoundModel.from_environment(),
        [get_weather, send_email],
        system_prompt=SYSTEM_PROMPT,
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_email": True})],
        checkpointer=checkpointer,
    )


def make_dev_graph() -> Any:
    """Return the agent for LangGraph's development server, which brings a saver of its own."""
    return stock_agent()


def make_app() -> Any:
    """Return a minimal FastAPI application around the agent."""
    from fastapi import FastAPI
    from pydantic import BaseModel

    agent = stock_agent(stock_saver())
    app = FastAPI()

    class ChatRequest(BaseModel):
        message: str
        thread_id: str | None = None

    class ChatResponse(BaseModel):
        answer: str
        thread_id: str

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/hitl/chat")
    def chat(request: ChatRequest) -> ChatResponse:
        thread_id = request.thread_id or uuid4().hex
        state = agent.invoke(
            {"messages": [{"role": "user", "content": request.message}]},
            {"configurable": {"thread_id": thread_id}},
        )
        return ChatResponse(answer=str(state["messages"][-1].text), thread_id=thread_id)

    return app
