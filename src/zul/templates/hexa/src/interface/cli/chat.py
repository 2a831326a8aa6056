"""A conversation with one agent, as the terminal leads it."""

from collections.abc import Callable

from src.application.AI.agents.react.react import Agent
from src.application.conversation import Runner, Snapshot
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import ChatTurn, Turns
from src.interface.cli.console import Console
from src.interface.cli.failures import reason_of
from src.interface.cli.reviewer import Reviewer
from src.interface.cli.transcript import Transcript
from src.interface.steps import StepRecorder

LEAVE_WORDS = frozenset({"/keluar", "/exit", "/quit"})


class Chat:
    """Sends messages and decisions through ``Turns``, and shows every step of them.

    A failure is shown with its reason; the conversation goes on.
    """

    def __init__(
        self,
        agent: Agent,
        stores: ConversationStores,
        thread_id: str,
        console: Console,
        reviewer: Reviewer,
    ) -> None:
        self._agent = agent
        self._reviews = stores.reviews
        self._thread_id = thread_id
        self._console = console
        self._reviewer = reviewer
        self._transcript = Transcript(console)
        self._turns = Turns(agent, lock=stores.lock, reviews=stores.reviews)

    def open(self) -> None:
        """Finish what a crash cut off, and ask for the decisions that wait already.

        Raises:
            EOFError: nobody is left to decide.
        """
        accepted = self._reviews.unsettled(self._thread_id)
        if accepted is not None:
            self._console.note("Keputusan yang sudah diterima diselesaikan lebih dulu.")
            self._follow(
                self._take(
                    lambda run: self._turns.review(
                        accepted.decisions, self._thread_id, accepted.review_id, run
                    )
                )
            )
        else:
            self._follow(self.waiting())

    def talk(self) -> None:
        """Send what is typed until the person leaves.

        Raises:
            EOFError: the input ended.
        """
        while True:
            message = self._console.ask("Kamu: ")
            if message.strip() in LEAVE_WORDS:
                return
            if message.strip():
                self._follow(self.send(message))

    def send(self, message: str) -> ChatTurn | None:
        """Send one message; ``None`` when it failed."""
        return self._take(lambda run: self._turns.send(message, self._thread_id, run))

    def waiting(self) -> ChatTurn | None:
        """Return the actions that wait in this conversation, if any do."""
        snapshot = self.look()
        pause = snapshot.pause if snapshot else None
        return ChatTurn.paused(pause) if pause else None

    def look(self) -> Snapshot | None:
        """Return what is stored of this conversation."""
        return self._turns.look(self._thread_id)

    def show(self, pending_review: dict[str, list[dict[str, object]]]) -> None:
        """Print the actions that wait without asking for decisions."""
        actions = pending_review["action_requests"]
        for number, action in enumerate(actions, start=1):
            self._transcript.action(number, len(actions), action)

    def _follow(self, turn: ChatTurn | None) -> None:
        """Ask for decisions as long as actions wait."""
        while turn is not None and turn.pending_review is not None:
            turn = self._review(turn)

    def _review(self, turn: ChatTurn) -> ChatTurn | None:
        decisions = self._reviewer.decide(turn.pending_review or {})
        return self._take(
            lambda run: self._turns.review(decisions, self._thread_id, turn.review_id, run)
        )

    def _take(self, take_turn: Callable[[Runner], ChatTurn]) -> ChatTurn | None:
        recorder = StepRecorder(self._agent, on_step=self._transcript.step)
        try:
            turn = take_turn(recorder.run)
        except Exception as error:  # noqa: BLE001 - whatever it was, the person reads the reason
            self._console.note(f"Gagal: {reason_of(error)}")
            return self._waiting_after_failure()
        if turn.answer is not None:
            self._transcript.answer(turn.answer)
        return turn

    def _waiting_after_failure(self) -> ChatTurn | None:
        try:
            return self.waiting()
        except Exception:  # noqa: BLE001 - the failure before this one has been shown
            return None
