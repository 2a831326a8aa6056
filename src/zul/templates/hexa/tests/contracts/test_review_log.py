from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from src.application.ports.conversation_stores import ConversationStores
from src.domain.exceptions import ReviewAlreadyDecidedError
from tests.contracts.conftest import GetStores
from tests.contracts.examples import ODD_JSON, ODD_TEXTS, a_review


def test_an_accepted_review_waits_until_it_is_settled(stores: ConversationStores) -> None:
    assert stores.reviews.unsettled("t1") is None

    stores.reviews.accept(a_review())
    assert stores.reviews.unsettled("t1") == a_review()

    stores.reviews.settle("t1", "r1")
    stores.reviews.settle("t1", "r1")
    stores.reviews.settle("t1", "never seen")
    assert stores.reviews.unsettled("t1") is None
    assert stores.reviews.history("t1") == [replace(a_review(), settled=True)]


def test_a_pause_is_decided_once(stores: ConversationStores) -> None:
    stores.reviews.accept(a_review())

    with pytest.raises(ReviewAlreadyDecidedError):
        stores.reviews.accept(a_review(decisions=[{"type": "reject"}]))
    assert stores.reviews.history("t1") == [a_review()]


def test_of_twenty_simultaneous_decisions_one_is_accepted(stores: ConversationStores) -> None:
    def accept(number: int) -> bool:
        try:
            stores.reviews.accept(a_review(decisions=[{"type": "approve", "by": number}]))
        except ReviewAlreadyDecidedError:
            return False
        return True

    with ThreadPoolExecutor(20) as threads:
        accepted = Counter(threads.map(accept, range(20)))

    assert accepted == {True: 1, False: 19}


def test_history_and_the_unsettled_one_are_oldest_first(stores: ConversationStores) -> None:
    reviews = [a_review(review_id) for review_id in ("r3", "r1", "r2")]
    for review in reviews:
        stores.reviews.accept(review)
    stores.reviews.accept(a_review(thread_id="t2"))

    assert stores.reviews.history("t1") == reviews
    stores.reviews.settle("t1", "r3")
    assert stores.reviews.unsettled("t1") == reviews[1]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_text_comes_back(stores: ConversationStores, text: str) -> None:
    review = a_review(
        text, thread_id=text, pending_review=ODD_JSON, decisions=[ODD_JSON], resume=ODD_JSON
    )
    stores.reviews.accept(review)
    assert stores.reviews.unsettled(text) == review

    stores.reviews.settle(text, text)
    assert stores.reviews.unsettled(text) is None


def test_a_moment_of_another_zone_stays_the_same_moment(stores: ConversationStores) -> None:
    in_jakarta = timezone(timedelta(hours=7))
    moment = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=in_jakarta)
    stores.reviews.accept(a_review(accepted_at=moment))

    [review] = stores.reviews.history("t1")
    assert review.accepted_at == moment


def test_erasing_forgets_one_conversation(stores: ConversationStores) -> None:
    stores.reviews.accept(a_review())
    stores.reviews.accept(a_review(thread_id="t2"))
    stores.reviews.erase("t1")
    stores.reviews.erase("never seen")

    assert stores.reviews.history("t1") == []
    assert len(stores.reviews.history("t2")) == 1
    stores.reviews.accept(a_review())


def test_the_same_conversation_of_another_agent_is_another_one(stores_of: GetStores) -> None:
    chat, hitl = stores_of("chat").reviews, stores_of("hitl").reviews
    chat.accept(a_review())
    hitl.accept(a_review())

    chat.settle("t1", "r1")
    assert hitl.unsettled("t1") == a_review()

    hitl.erase("t1")
    assert len(chat.history("t1")) == 1
