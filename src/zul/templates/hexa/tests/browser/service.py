"""The real application with the model of `scenes` and tools that write down what they did.

``RAN`` names the file. The scene "macet" asks the real model client, whose server never answers.
"""

import json
import os
from pathlib import Path
from typing import Literal

from langchain_core.tools import tool

from src.application.AI.agents.subagents.subagents import SubagentSpec, build_subagent_tool
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.main import app
from tests.browser.scenes import HIDDEN, LONG, MARKUP, REVERSED, PlayedModel

__all__ = ["app"]

RAN = Path(os.environ["RAN"])


def _note(name: str, **args: object) -> None:
    with RAN.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"name": name, "args": args}) + "\n")


@tool
def send_email(to: str, subject: str, body: str, cc: str | None = None) -> str:
    """Send an e-mail."""
    _note("send_email", to=to, subject=subject, body=body, cc=cc)
    return f"Sent to {to}"


@tool
def cut_power(meter: str) -> str:
    """End this very process in the middle of an approved action."""
    _note("cut_power", meter=meter)
    os._exit(9)


@tool
def book_room(
    room: Literal["Anggrek", "Melati"],
    people: int,
    price: float,
    catering: bool,
    guests: list[str],
    note: str = "",
) -> str:
    """Book a room."""
    _note(
        "book_room",
        room=room,
        people=people,
        price=price,
        catering=catering,
        guests=guests,
        note=note,
    )
    return f"{room} is booked"


@tool("x" * 128)
def long_name(to: str) -> str:
    """Have the longest name that a tool may have."""
    return f"Named {to}"


@tool
def get_weather(location: str) -> str:
    """Look up the weather."""
    return f"Sunny in {location}"


@tool
def explode() -> str:
    """Fail."""
    raise RuntimeError("sk-secret-123")


@tool
def echo(text: str) -> str:
    """Say it back, with everything that could do harm."""
    return LONG if len(text) > len(LONG) - 1 else text + MARKUP + REVERSED + HIDDEN


for _controller in (chat_controller, hitl_controller, subagents_controller):
    vars(_controller)["get_llm_model"] = PlayedModel
chat_controller.TOOLS[:] = [get_weather, explode, echo]
hitl_controller.TOOLS[:] = [get_weather, send_email, book_room, cut_power, long_name]
hitl_controller.TOOLS_REQUIRING_APPROVAL = {
    *("send_email", "book_room", "cut_power", long_name.name)
}
desk = build_subagent_tool(
    SubagentSpec("desk", "Asks the weather.", "You are a desk.", [get_weather]), PlayedModel()
)
subagents_controller.SUBAGENTS[:] = [
    *(SubagentSpec(name, "A branch.", "You are a branch.", [desk]) for name in ("east", "west")),
    SubagentSpec(
        name="office",
        description="Does what the office does.",
        system_prompt="You are the office.",
        tools=[send_email],
        tools_requiring_approval={"send_email"},
    ),
    SubagentSpec(
        name="forecaster",
        description="Knows the weather.",
        system_prompt="You are the forecaster.",
        tools=[get_weather],
    ),
]
