"""The compiled graph of the generated service on its own saver, without everything around it."""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

from langgraph.types import Command
from src.interface.http.controllers import hitl_controller

from benchmarks.subjects import hexa_app
from benchmarks.subjects.control import obey

TURNS_PER_THREAD = 4


def _config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 25}


def main() -> None:
    """Take turns as ordered."""
    assert hexa_app.app is not None  # noqa: S101 - imported for the model that it sets
    agent: Any = hitl_controller.get_human_in_the_loop_agent()

    def turn(message: str, thread_id: str) -> dict[str, Any]:
        start, config = time.process_time(), _config(thread_id)
        state = agent.invoke({"messages": [{"role": "user", "content": message}]}, config)
        if "__interrupt__" in state:
            pause = state["__interrupt__"][0]
            answer = {"decisions": [{"type": "approve"}]}
            agent.invoke(Command(resume={pause.id: answer}), config)
        return {"cpu_ms": (time.process_time() - start) * 1_000}

    def loop(count: int, message: str) -> dict[str, Any]:
        taken, thread_id = 0.0, ""
        for number in range(count):
            if number % TURNS_PER_THREAD == 0:
                thread_id = uuid4().hex
            taken += turn(message, thread_id)["cpu_ms"]
        return {"cpu_ms": taken / count}

    obey({"turn": turn, "loop": loop})


if __name__ == "__main__":
    main()
