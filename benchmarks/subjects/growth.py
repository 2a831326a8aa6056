"""One long conversation, through the service's use case or stock LangGraph, on one store."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.subjects.control import obey

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.messages import AnyMessage

THREAD = "long"
WORDS = ("alpha", "bravo", "delta", "gamma", "kilo", "lima", "sierra", "tango", "victor", "zulu")


def main() -> None:
    """Take turns as ordered."""
    say, look = _own() if sys.argv[1] == "own" else _stock()
    words = random.Random(1)  # noqa: S311 - the same conversation in every run

    def turns(count: int) -> dict[str, Any]:
        taken = [_timed(lambda: say(_text(words))) for _ in range(count)]
        return {"cpu_ms": [cpu for cpu, _ in taken], "wall_ms": [wall for _, wall in taken]}

    def read(times: int) -> dict[str, Any]:
        taken = [_timed(look) for _ in range(times)]
        return {"cpu_ms": [cpu for cpu, _ in taken], "wall_ms": [wall for _, wall in taken]}

    def size() -> dict[str, Any]:
        messages: list[AnyMessage] = look()
        return {"stored": _stored_bytes(), "texts": sum(map(_text_bytes, messages)),
                "messages": len(messages)}  # fmt: skip

    obey({"turns": turns, "read": read, "size": size})


def _own() -> tuple[Callable[[str], Any], Callable[[], Any]]:
    from src.application.turns import Turns
    from src.interface.http.controllers import hitl_controller

    from benchmarks.subjects import hexa_app

    assert hexa_app.app is not None  # noqa: S101 - imported for the model that it sets
    usecase = hitl_controller.get_reviewed_chat_usecase()
    turns = Turns(hitl_controller.get_human_in_the_loop_agent())

    def look() -> Any:
        snapshot = turns.look(THREAD)
        return snapshot.messages if snapshot else []

    return lambda text: usecase.send_message(text, THREAD), look


def _stock() -> tuple[Callable[[str], Any], Callable[[], Any]]:
    from benchmarks.subjects.stock import stock_agent, stock_saver

    agent = stock_agent(stock_saver())
    config = {"configurable": {"thread_id": THREAD}}

    def say(text: str) -> Any:
        return agent.invoke({"messages": [{"role": "user", "content": text}]}, config)

    return say, lambda: agent.get_state(config).values.get("messages", [])


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return (time.process_time() - cpu) * 1_000, (time.perf_counter() - wall) * 1_000


def _text(words: random.Random) -> str:
    return " ".join(words.choices(WORDS, k=70))  # about 400 bytes


def _text_bytes(message: AnyMessage) -> int:
    """Return what a person reads of a message: its text, and name and arguments of its calls."""
    calls = [[call["name"], call["args"]] for call in getattr(message, "tool_calls", ())]
    return len(message.text.encode()) + (len(json.dumps(calls)) if calls else 0)


def _stored_bytes() -> int:
    url = os.environ["DATABASE_URL"]
    if url.startswith("sqlite:///"):
        path = Path(url.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.stat().st_size
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchone()
    return int(row[0] or 0) if row else 0


if __name__ == "__main__":
    main()
