"""A conversation whose emails a person approves, with everything that a test looks at."""

from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.ports.in_memory import InMemoryActionLedger
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from tests.application.scenario import Office, on
from tests.fakes.scripted_model import ScriptedChatModel


class Desk:
    """One use case over a scripted model; the conversation is the thread ``t``."""

    def __init__(
        self,
        *replies: Any,
        tools: Sequence[BaseTool] = (),
        gated: Collection[str] = ("send_email",),
        ledger: InMemoryActionLedger | None = None,
        limits: Limits = DEFAULT_LIMITS,
        checkpointer: InMemorySaver | None = None,
    ) -> None:
        self.office = Office()
        self.model = ScriptedChatModel(script=list(replies))
        self.ledger = ledger or InMemoryActionLedger()
        self.agent = build_human_in_the_loop_agent(
            self.model,
            tools or self.office.tools,
            gated,
            checkpointer=checkpointer or InMemorySaver(),
            ledger=self.ledger,
            limits=limits,
        )
        self.usecase = ReviewedChatUseCase(self.agent)

    def say(self, message: str) -> ChatTurn:
        return self.usecase.send_message(message, "t")

    def decide(self, *decisions: Any, review_id: str | None = None) -> ChatTurn:
        return self.usecase.submit_review(list(decisions), "t", review_id=review_id)

    @property
    def messages(self) -> list[BaseMessage]:
        return list(self.agent.get_state(on("t")).values.get("messages", []))

    @property
    def checkpoints(self) -> int:
        return len(list(self.agent.get_state_history(on("t"))))
