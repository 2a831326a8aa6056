"""Chooses what of a long conversation the model is sent. What is stored stays whole.

The cut is made at safe places only: the conversation starts with a message of the user, a call
keeps its results, and the newest question keeps its newest round of tools. The library's
``trim_messages`` is not used: it returns nothing at all when the newest turn alone is over the
budget. Nothing is summarised; what falls out is not sent.
"""

import math
from collections.abc import Sequence
from itertools import groupby

from langchain_core.messages import (
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately

from src.application.AI.agents.limits import Limits

Messages = list[AnyMessage]


def trimmed(
    messages: Sequence[AnyMessage], instructions: SystemMessage, limits: Limits
) -> Messages:
    """Return the newest part of the conversation that keeps within the budget.

    The newest user message with the newest round of tools is always kept, even if that alone is
    over the budget.

    Args:
        messages: the whole conversation.
        instructions: sent in front of it; counts against the budget of tokens.
        limits: the budget.
    """
    if limits.history_messages is None and limits.history_tokens is None:
        return list(messages)
    budget = _Budget(limits, instructions)
    *earlier, newest = _turns(messages) or [[]]
    kept = _newest_rounds(newest, budget)
    if len(kept) < len(newest):
        return kept
    for turn in reversed(earlier):
        if not budget.covers(turn):
            break
        kept = [*turn, *kept]
    return kept


class _Budget:
    """What is left of the budget."""

    def __init__(self, limits: Limits, instructions: SystemMessage) -> None:
        self._messages = math.inf if limits.history_messages is None else limits.history_messages
        self._tokens: float | None = limits.history_tokens
        self.spend([instructions], count=0)

    def covers(self, messages: Messages) -> bool:
        """Spend what ``messages`` cost, and tell whether the budget had it."""
        self.spend(messages, count=len(messages))
        return self._messages >= 0 and (self._tokens is None or self._tokens >= 0)

    def spend(self, messages: Sequence[BaseMessage], *, count: int) -> None:
        self._messages -= count
        if self._tokens is not None:
            self._tokens -= count_tokens_approximately(messages)


def _turns(messages: Sequence[AnyMessage]) -> list[Messages]:
    """Split at the messages of the user."""
    turns: list[Messages] = []
    for message in messages:
        if isinstance(message, HumanMessage) or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _newest_rounds(turn: Messages, budget: _Budget) -> Messages:
    question, rounds = turn[:1], _rounds(turn[1:])
    kept: Messages = rounds.pop() if rounds else []
    budget.covers([*question, *kept])
    while rounds and budget.covers(rounds[-1]):
        kept = [*rounds.pop(), *kept]
    return [*question, *kept]


def _rounds(messages: Messages) -> list[Messages]:
    """Split behind the user's message: a reply with the results of its calls is one round."""
    rounds: list[Messages] = []
    for is_result, group in groupby(messages, lambda m: isinstance(m, ToolMessage)):
        if is_result and rounds:
            rounds[-1] += group
        else:
            rounds += [[message] for message in group]
    return rounds
