"""How a conversation looks on a terminal."""

from typing import Any

from src.interface.cli.console import Console
from src.interface.cli.visible import harmless, visible, visible_json
from src.interface.steps import Step, StepEvent

_LONGEST_RESULT = 2000


class Transcript:
    """Prints steps, actions that wait, and answers."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def step(self, step: Step) -> None:
        """Print a node that ran; steps of a subagent are further to the right."""
        margin = "  " * (step.depth + 1)
        lines = [line for event in _shown_events(step) for line in _lines_of(event)]
        self._console.murmur(f"{margin}[{visible(step.node)}]")
        for line in lines:
            self._console.murmur(f"{margin}  {line}")

    def answer(self, text: str) -> None:
        """Print what the agent answered."""
        self._console.say(f"Agen: {harmless(text)}\n")

    def action(self, number: int, count: int, action: dict[str, Any]) -> None:
        """Print an action that waits, with its exact arguments."""
        self._console.emphasise(f"Aksi {number} dari {count}: {visible(action['name'])}")
        self.arguments(action["args"])

    def arguments(self, args: dict[str, Any]) -> None:
        """Print arguments; a line can never be mistaken for one of the chat's own."""
        for line in visible_json(args, indent=2).split("\n"):
            self._console.say(f"  │ {line}")


def _shown_events(step: Step) -> list[StepEvent]:
    calls = any(event.type == "tool_call" for event in step.events)
    if calls or step.depth:
        return step.events
    # A text alone is the answer, which is printed when the turn is over.
    return [event for event in step.events if event.type != "text"]


def _lines_of(event: StepEvent) -> list[str]:
    content = event.content or ""
    if event.type == "tool_call":
        return [f"→ {visible(event.name or '')} {visible_json(event.args)}"]
    if event.type == "text":
        return harmless(content).split("\n")
    shown = content[:_LONGEST_RESULT]
    rest = len(content) - len(shown)
    note = f"… ({rest} karakter lagi)" if rest else ""
    mark = "DITOLAK: " if event.rejected else "GAGAL: " if event.failed else ""
    lines = [visible(line) for line in f"{shown}{note}".split("\n")]
    return [
        f"← {visible(event.name or '')}: {mark}{lines[0]}",
        *(f"│ {line}" for line in lines[1:]),
    ]
