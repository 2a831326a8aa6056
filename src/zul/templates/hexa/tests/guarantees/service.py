"""The real application with a planned model and tools that write a journal.

``JOURNAL`` names the journal's file. Everything else is as in production: routers, use cases,
stores and agents come from the application's own builders.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import Request, Response

from src.application.AI.agents.subagents.subagents import SubagentSpec
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.main import app
from tests.guarantees.journal import GUARDED, Journal, make_tools
from tests.guarantees.planned_model import PlannedChatModel

__all__ = ["app"]

PROCESS_HEADER = "X-Process"
ASSISTANT = "assistant"


def use_planned_parts(journal: Journal) -> None:
    """Give the controllers' builders other parts, before they build anything."""
    guarded, free = make_tools(journal)
    for controller in (chat_controller, hitl_controller, subagents_controller):
        vars(controller)["get_llm_model"] = PlannedChatModel
    chat_controller.TOOLS[:] = [free]
    hitl_controller.TOOLS[:] = [guarded, free]
    hitl_controller.TOOLS_REQUIRING_APPROVAL = {GUARDED}
    subagents_controller.SUBAGENTS[:] = [
        SubagentSpec(
            name=ASSISTANT,
            description="Carries out a plan.",
            system_prompt="Carry out the plan.",
            tools=[guarded, free],
            tools_requiring_approval={GUARDED},
        )
    ]


use_planned_parts(Journal(Path(os.environ["JOURNAL"])))


@app.middleware("http")
async def name_process(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Tell which worker answered."""
    response = await call_next(request)
    response.headers[PROCESS_HEADER] = str(os.getpid())
    return response
