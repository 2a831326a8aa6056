"""Whatever models, reviewers and users send: no internal failure, no dead end, nothing unapproved.

A few hundred conversations at each run; ``FUZZ_EXAMPLES=20000`` for a thorough one.
"""

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from tests.application.scenario import assert_well_formed
from tests.replies import generated
from tests.replies.service import ENDPOINTS, Service

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "300"))
CODES = {"llm_unavailable", "llm_timeout", "tool_failed"}

thorough = pytest.mark.timeout(max(120, EXAMPLES))
lasting = settings(
    max_examples=EXAMPLES // 3,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)

conversations = st.tuples(
    generated.replies,
    st.lists(generated.user_texts, min_size=1, max_size=3),
    st.lists(st.lists(generated.decisions, min_size=1, max_size=3), max_size=8),
)


class Trial:
    """One conversation; it knows which actions a person approved."""

    def __init__(self, service: Service, number: int, replies: list[Any]) -> None:
        self.service = service
        self.thread_id = f"t{number}"
        self.approved: Counter[Any] = Counter()
        service.model.script[:] = [*replies, *[AIMessage("Baik.")] * 30]
        for model in (service.model, service.supervisor):
            model.inputs.clear()
        service.supervisor.script[:] = [service.supervisor.script[0]] * 200
        service.office.sent.clear()

    def take(self, texts: list[str], reviews: list[list[Any]]) -> None:
        waiting = list(reviews)
        for text in texts:
            shown = self.check(self.service.say(text, self.thread_id))
            while shown and waiting:
                self.review(shown, waiting.pop(0))
                shown = self.pending()
            if shown:
                break
        self.finish()

    def pending(self) -> list[Any]:
        pause = [i for task in self.state.tasks for i in task.interrupts]
        return [action for each in pause for action in each.value["action_requests"]]

    @property
    def state(self) -> Any:
        return self.service.agent.get_state({"configurable": {"thread_id": self.thread_id}})

    def review(self, shown: list[Any], decisions: list[Any]) -> None:
        # As many as are needed, so that most get past the count.
        fitting = (decisions * len(shown))[: len(shown)]
        before = self.approved.copy()
        for action, decision in zip(shown, fitting, strict=True):
            self.approve(action, decision)
        response = self.service.decide(*fitting, thread_id=self.thread_id)
        if response.status_code in {400, 422}:
            self.approved = before
            assert self.pending() == shown
        self.check(response)

    def approve(self, action: Any, decision: Any) -> None:
        kind = decision.get("type") if isinstance(decision, dict) else None
        given = action if kind == "approve" else None
        if kind == "edit":
            given = decision.get("edited_action")
        args = given.get("args") if isinstance(given, dict) else None
        to = args.get("to") if isinstance(args, dict) else None
        if isinstance(to, str):
            self.approved[to] += 1

    def check(self, response: Any) -> list[Any]:
        assert response.status_code in {200, 400, 422, 500}, response.text
        body = response.json()
        if response.status_code == 500:
            assert body["code"] in CODES, body
            assert "sk-secret" not in response.text
        assert Counter(self.service.office.sent) <= self.approved or self.service.path == "/chat"
        for sent in self.service.model.inputs:
            assert sent[0].type == "system"
            assert_well_formed([*sent[1:], AIMessage("x")])
        if response.status_code != 200:
            return []
        pending = body.get("pending_review")
        assert (pending is None) != (body.get("answer") is None)
        assert pending is not None or body["answer"].strip()
        return list(pending["action_requests"]) if pending else []

    def finish(self) -> None:
        """Whatever happened, the next message is answered."""
        model = self.service.model
        model.script[:] = [None] * len(model.inputs) + [AIMessage("Halo.")] * 50
        for _ in range(10):
            shown = self.pending()
            if not shown:
                break
            self.review(shown, [{"type": "reject"}])
        assert self.pending() == []
        response = self.service.say("Masih di sana?", self.thread_id)
        assert (response.status_code, response.json().get("answer")) == (200, "Halo.")
        assert_well_formed(self.state.values["messages"])
        checkpointer: Any = self.service.agent.checkpointer
        checkpointer.delete_thread(self.thread_id)  # memory is not endless


@thorough
@pytest.mark.parametrize("path", ENDPOINTS)
def test_no_reply_and_no_decision_ends_a_conversation(path: str) -> None:
    with Service(path).serving() as service:
        numbers = iter(range(10**9))

        @lasting
        @given(conversations)
        def converse(conversation: Any) -> None:
            replies, texts, reviews = conversation
            Trial(service, next(numbers), replies).take(texts, reviews)

        converse()
