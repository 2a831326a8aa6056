from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from src.application.ports.action_ledger import ActionOutcome, ActionStatus
from src.application.ports.conversation_stores import ConversationStores
from tests.contracts.conftest import GetStores
from tests.contracts.examples import ODD_JSON, ODD_TEXTS, SUCCEEDED, an_action


def test_a_first_claim_is_granted_and_runs(stores: ConversationStores) -> None:
    assert stores.ledger.claim(an_action()).granted

    [record] = stores.ledger.records("t1")
    assert record.action == an_action()
    assert (record.status, record.outcome, record.finished_at) == (ActionStatus.RUNNING, None, None)
    assert timedelta(0) <= datetime.now(UTC) - record.claimed_at < timedelta(minutes=1)


def test_of_fifty_simultaneous_claims_one_is_granted(stores: ConversationStores) -> None:
    with ThreadPoolExecutor(50) as threads:
        claims = list(threads.map(lambda _: stores.ledger.claim(an_action()), range(50)))

    assert Counter(claim.granted for claim in claims) == {True: 1, False: 49}
    assert len(stores.ledger.records("t1")) == 1


def test_a_claim_after_the_outcome_returns_it(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.record("key-1", SUCCEEDED)

    for repeatable in (False, True):
        claim = stores.ledger.claim(an_action(), repeatable=repeatable)
        assert (claim.granted, claim.outcome) == (False, SUCCEEDED)
    [record] = stores.ledger.records("t1")
    assert record.status is ActionStatus.SUCCEEDED
    assert record.finished_at is not None


def test_a_claim_without_outcome_becomes_unknown_and_is_not_granted_again(
    stores: ConversationStores,
) -> None:
    stores.ledger.claim(an_action())

    for _ in range(2):
        claim = stores.ledger.claim(an_action())
        assert (claim.granted, claim.outcome) == (False, None)
    assert [record.status for record in stores.ledger.records("t1")] == [ActionStatus.UNKNOWN]


def test_a_repeatable_claim_without_outcome_is_granted_again(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action(), repeatable=True)

    assert stores.ledger.claim(an_action(), repeatable=True).granted
    assert [record.status for record in stores.ledger.records("t1")] == [ActionStatus.RUNNING]


def test_an_outcome_that_is_known_in_the_end_replaces_unknown(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.claim(an_action())
    stores.ledger.record("key-1", SUCCEEDED)

    assert stores.ledger.claim(an_action()).outcome == SUCCEEDED


def test_an_action_that_was_given_up_is_unknown_and_not_granted_again(
    stores: ConversationStores,
) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.claim(an_action("key-2"))

    stores.ledger.give_up("key-1")
    stores.ledger.give_up("never seen")

    statuses = {record.action.key: record.status for record in stores.ledger.records("t1")}
    assert statuses == {"key-1": ActionStatus.UNKNOWN, "key-2": ActionStatus.RUNNING}
    claim = stores.ledger.claim(an_action())
    assert (claim.granted, claim.outcome) == (False, None)


def test_the_outcome_of_an_action_that_was_given_up_is_still_taken(
    stores: ConversationStores,
) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.give_up("key-1")
    stores.ledger.record("key-1", SUCCEEDED)
    stores.ledger.give_up("key-1")

    [record] = stores.ledger.records("t1")
    assert (record.status, record.outcome) == (ActionStatus.SUCCEEDED, SUCCEEDED)


def test_a_released_claim_is_granted_again(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action())

    stores.ledger.release("key-1")

    assert stores.ledger.records("t1") == []
    assert stores.ledger.claim(an_action()).granted


def test_an_action_with_an_outcome_is_not_released(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.record("key-1", SUCCEEDED)

    stores.ledger.release("key-1")

    assert stores.ledger.claim(an_action()).outcome == SUCCEEDED


def test_an_outcome_is_never_overwritten(stores: ConversationStores) -> None:
    failed = ActionOutcome(status=ActionStatus.FAILED, content="Refused", raised=True)
    stores.ledger.claim(an_action())
    stores.ledger.record("key-1", failed)
    stores.ledger.record("key-1", SUCCEEDED)

    [record] = stores.ledger.records("t1")
    assert (record.status, record.outcome) == (ActionStatus.FAILED, failed)


def test_an_outcome_without_a_claim_is_ignored(stores: ConversationStores) -> None:
    stores.ledger.record("key-1", SUCCEEDED)

    assert stores.ledger.records("t1") == []


@pytest.mark.parametrize("content", [None, "", [], "a\0b", [{"type": "text", "text": "ok"}]])
def test_every_content_comes_back(stores: ConversationStores, content: Any) -> None:
    outcome = ActionOutcome(status=ActionStatus.SUCCEEDED, content=content)
    stores.ledger.claim(an_action())
    stores.ledger.record("key-1", outcome)

    assert stores.ledger.claim(an_action()).outcome == outcome


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_text_comes_back(stores: ConversationStores, text: str) -> None:
    action = an_action(text, thread_id=text, tool_call_id=text, name=text, args=ODD_JSON)
    stores.ledger.claim(action)
    stores.ledger.record(text, SUCCEEDED)

    [record] = stores.ledger.records(text)
    assert (record.action, record.outcome) == (action, SUCCEEDED)


def test_records_are_in_the_order_of_the_claims(stores: ConversationStores) -> None:
    keys = [f"key-{number}" for number in (3, 1, 2)]
    for key in keys:
        stores.ledger.claim(an_action(key))
    stores.ledger.claim(an_action("elsewhere", thread_id="t2"))

    assert [record.action.key for record in stores.ledger.records("t1")] == keys


def test_erasing_forgets_one_conversation(stores: ConversationStores) -> None:
    stores.ledger.claim(an_action())
    stores.ledger.claim(an_action("key-2", thread_id="t2"))
    stores.ledger.erase("t1")
    stores.ledger.erase("never seen")

    assert stores.ledger.records("t1") == []
    assert len(stores.ledger.records("t2")) == 1


def test_the_same_conversation_of_another_agent_is_another_one(stores_of: GetStores) -> None:
    chat, hitl = stores_of("chat").ledger, stores_of("hitl").ledger
    assert chat.claim(an_action()).granted
    assert hitl.claim(an_action()).granted

    chat.record("key-1", SUCCEEDED)
    chat.erase("t1")

    [record] = hitl.records("t1")
    assert record.outcome is None
