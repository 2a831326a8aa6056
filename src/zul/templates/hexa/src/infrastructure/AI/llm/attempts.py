"""How often, how long and in which order chat models are asked for one reply."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from src.application.errors import ModelCallError
from src.infrastructure.AI.llm.errors import (
    is_retryable,
    retry_after_seconds,
    status_code,
    translate_model_error,
)

T = TypeVar("T")

Ask = Callable[[], AsyncGenerator[T, None]]
"""Asks one model once; the reply comes in one or more parts."""

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 8.0

logger = logging.getLogger(__name__)


class Pacer:
    """Keeps a distance between requests. Used on the background loop only, so it needs no lock."""

    def __init__(self, requests_per_second: float) -> None:
        self._distance = 1 / requests_per_second
        self._next_start = 0.0

    async def wait(self, until: float) -> None:
        """Wait for this request's turn.

        Raises:
            ModelCallError: the turn would come after ``until``.
        """
        now = asyncio.get_running_loop().time()
        start = max(now, self._next_start)
        if start >= until:
            raise ModelCallError(retry_after_seconds=start - now)
        self._next_start = start + self._distance
        await asyncio.sleep(start - now)


@cache
def shared_pacer(requests_per_second: float) -> Pacer:
    """Return the pacer of this process: all agents together keep the limit."""
    return Pacer(requests_per_second)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """The limits of one call.

    Attributes:
        total_seconds: for everything: all models, retries and pauses, up to the last part.
        max_retries: how often the same model is asked again after a passing failure.
        pacer: keeps the rate limit.
    """

    total_seconds: float
    max_retries: int = 0
    pacer: Pacer | None = None


async def ask_in_order(asks: Sequence[Ask[T]], policy: CallPolicy) -> AsyncGenerator[T, None]:
    """Yield the parts of the first reply that any of ``asks`` gives.

    Each model gets an equal share of the time that is left, so that a stalled one leaves some
    for those behind it. Once a part was yielded a failure is final: it cannot be taken back.

    Raises:
        ModelCallError: no model replied, or a reply broke off.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + policy.total_seconds
    started = False
    for models_left in range(len(asks), 0, -1):
        until = clock() + (deadline - clock()) / models_left
        try:
            async with aclosing(_ask_with_retries(asks[-models_left], until, policy)) as parts:
                async for part in parts:
                    started = True
                    yield part
        except ModelCallError:
            if started or models_left == 1:
                raise
        else:
            return


async def _ask_with_retries(
    ask: Ask[T], until: float, policy: CallPolicy
) -> AsyncGenerator[T, None]:
    for attempt in range(policy.max_retries + 1):
        started = False
        try:
            if policy.pacer is not None:
                await policy.pacer.wait(until)
            async with aclosing(_parts_before(until, ask())) as parts:
                async for part in parts:
                    started = True
                    yield part
            if started:
                return
            _refuse_empty_reply()
        except ModelCallError:
            raise
        except Exception as error:
            _log_failure(error, attempt)
            may_retry = not started and attempt < policy.max_retries and is_retryable(error)
            if not may_retry or not await _pause(_pause_seconds(error, attempt), until):
                raise translate_model_error(error) from error


async def _parts_before(until: float, parts: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    async with aclosing(parts):
        while True:
            try:
                async with asyncio.timeout_at(until):
                    part = await anext(parts)
            except StopAsyncIteration:
                return
            yield part


async def _pause(seconds: float, until: float) -> bool:
    """Wait, unless that would leave no time to ask again."""
    if asyncio.get_running_loop().time() + seconds >= until:
        return False
    await asyncio.sleep(seconds)
    return True


def _refuse_empty_reply() -> None:
    msg = "The reply ended before its first part"
    raise ConnectionError(msg)


def _pause_seconds(error: Exception, attempt: int) -> float:
    asked = retry_after_seconds(error)
    if asked is not None:
        return asked
    pause: float = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
    # Spread, so that requests that failed together do not come back together.
    return pause * random.uniform(0.75, 1)  # noqa: S311 - not a secret


def _log_failure(error: Exception, attempt: int) -> None:
    logger.warning(
        "Chat model call failed: %s, status %s, attempt %d",
        type(error).__name__,
        status_code(error),
        attempt + 1,
    )
