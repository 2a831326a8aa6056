"""A chat without a terminal: lines go in, what was printed and the exit code come out."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.react.react import Agent
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import Turns
from src.infrastructure.database.stores import get_stores
from src.interface.cli.agents import AgentChoice
from src.interface.cli.console import Console
from src.interface.cli.editor import Edit
from src.interface.cli.main import run
from src.interface.cli.options import Options
from tests.application.scenario import Office
from tests.fakes.scripted_model import ScriptedChatModel

THREAD = "t1"
SCOPE = "test"


@dataclass(frozen=True)
class Ended:
    """What a chat left on the screen."""

    code: int
    out: str
    err: str


@dataclass
class Desk:
    """An agent whose model is scripted, and the chats that are held with it."""

    script: list[Any]
    office: Office = field(default_factory=Office)
    build: Callable[["Desk"], Agent] | None = None
    extra_tools: Sequence[BaseTool] = ()
    _agent: Agent | None = None

    @property
    def stores(self) -> ConversationStores:
        return get_stores(SCOPE)

    @property
    def model(self) -> ScriptedChatModel:
        return ScriptedChatModel(script=self.script)

    def agent(self) -> Agent:
        if self._agent is None:
            self._agent = self.build(self) if self.build else self._human_in_the_loop()
        return self._agent

    def turns(self) -> Turns:
        """The same conversations, as another client reaches them."""
        return Turns(self.agent(), lock=self.stores.lock, reviews=self.stores.reviews)

    def chat(self, *lines: str, message: str | None = None, edit: Edit | None = None) -> Ended:
        stdin = io.StringIO("".join(f"{line}\n" for line in lines))
        out, err = io.StringIO(), io.StringIO()
        code = run(
            Options(agent="test", thread_id=THREAD, message=message, debug=False),
            Console(stdin, out, err),
            {
                "test": AgentChoice(
                    build_agent=self.agent,
                    get_stores=lambda: self.stores,
                    list_tools=lambda: [*self.office.tools, *self.extra_tools],
                )
            },
            edit,
        )
        return Ended(code, out.getvalue(), err.getvalue())

    def _human_in_the_loop(self) -> Agent:
        return build_human_in_the_loop_agent(
            self.model,
            [*self.office.tools, *self.extra_tools],
            {"send_email"},
            InMemorySaver(),
            ledger=self.stores.ledger,
        )
