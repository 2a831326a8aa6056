"""Takes a streamed turn in a worker thread. Every run comes to a last event, whatever ends it."""

from collections.abc import Callable

from src.application.conversation import Watcher
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.run_log import run_lock
from src.application.turns import ChatTurn
from src.interface.http.errors import failure_of, log_failure
from src.interface.http.streams.events import Answered, Done, Event, Failed, ReviewPending
from src.interface.http.streams.live_run import LiveRun
from src.interface.http.streams.translator import EventTranslator

RUN_LOCK_WAIT_SECONDS = 5.0
"""How long a run waits for its own lock, which readers take for a moment."""

TakeTurn = Callable[[Watcher], ChatTurn]
"""Takes a turn while a watcher sees it come about."""


class TurnCutOffError(Exception):
    """Something ended the turn that is no ``Exception``, as ``sys.exit`` in a library does."""


def take(live: LiveRun, take_turn: TakeTurn, lock: ConversationLock) -> None:
    """Take the turn in a worker thread and tell the readers how it ended.

    Nothing is raised: on the event loop a ``SystemExit`` would end the server.
    """
    try:
        with lock.hold(run_lock(live.run.run_id), wait_seconds=RUN_LOCK_WAIT_SECONDS):
            _take_held(live, take_turn)
    except BaseException as error:  # noqa: BLE001 - taking the lock failed, or giving it back
        _fail(live, error)


def _take_held(live: LiveRun, take_turn: TakeTurn) -> None:
    try:
        end = _end_of(take_turn(EventTranslator(live.emit)))
    except BaseException as error:  # noqa: BLE001 - the readers are told
        _fail(live, error)
    else:
        _finish(live, end)


def _fail(live: LiveRun, error: BaseException) -> None:
    failure = error if isinstance(error, Exception) else TurnCutOffError()
    if failure is not error:
        failure.__cause__ = error
    if not live.has_started and not live.is_over:
        live.refuse(failure)  # `started` raises it again
        return
    log_failure(failure)
    if not live.is_over:
        _finish(live, Failed(**failure_of(failure).model_dump()))


def _finish(live: LiveRun, end: Event) -> None:
    live.emit(end)
    live.emit(Done())
    live.finish()


def _end_of(turn: ChatTurn) -> Event:
    if turn.pending_review is None:
        return Answered(answer=turn.answer or "")
    return ReviewPending.model_validate(
        {"pending_review": turn.pending_review, "review_id": turn.review_id}
    )
