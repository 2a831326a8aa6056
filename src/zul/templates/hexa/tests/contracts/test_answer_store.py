import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from src.application.ports.answer_store import AnswerStore
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.in_memory import InMemoryAnswerStore
from src.infrastructure.database.answer_store import DatabaseAnswerStore
from src.infrastructure.database.connections import get_database
from tests.contracts.conftest import GetStores
from tests.contracts.examples import ODD_TEXTS, an_answer


def test_an_answer_is_found_under_its_key(stores: ConversationStores) -> None:
    assert stores.answers.find("POST /chat k1") is None
    stores.answers.save(an_answer())

    assert stores.answers.find("POST /chat k1") == an_answer()
    assert stores.answers.find("POST /chat k2") is None


def test_the_first_answer_stays(stores: ConversationStores) -> None:
    stores.answers.save(an_answer())
    stores.answers.save(an_answer(body="{}", fingerprint="f2"))

    assert stores.answers.find("POST /chat k1") == an_answer()


def test_of_twenty_simultaneous_answers_everybody_finds_the_same_one(
    stores: ConversationStores,
) -> None:
    def save_and_find(number: int) -> str | None:
        stores.answers.save(an_answer(body=str(number)))
        found = stores.answers.find("POST /chat k1")
        return None if found is None else found.body

    with ThreadPoolExecutor(20) as threads:
        found = set(threads.map(save_and_find, range(20)))

    assert len(found) == 1


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_text_comes_back(stores: ConversationStores, text: str) -> None:
    answer = an_answer(text, fingerprint=text, thread_id=text, body=text)
    stores.answers.save(answer)

    assert stores.answers.find(text) == answer


def test_an_answer_expires(stores: ConversationStores) -> None:
    answers = _short_lived_answers()
    answers.save(an_answer())
    assert answers.find("POST /chat k1") == an_answer()

    time.sleep(0.6)
    assert answers.find("POST /chat k1") is None


def test_erasing_forgets_one_conversation(stores: ConversationStores) -> None:
    stores.answers.save(an_answer("k1"))
    stores.answers.save(an_answer("k2", thread_id="t2"))
    stores.answers.erase("t1")
    stores.answers.erase("never seen")

    assert stores.answers.find("k1") is None
    assert stores.answers.find("k2") is not None


def test_the_same_key_at_another_agent_is_another_one(stores_of: GetStores) -> None:
    chat, hitl = stores_of("chat").answers, stores_of("hitl").answers
    chat.save(an_answer())
    assert hitl.find("POST /chat k1") is None

    hitl.save(an_answer(body="{}"))
    chat.erase("t1")
    assert hitl.find("POST /chat k1") == an_answer(body="{}")


def _short_lived_answers() -> AnswerStore:
    database = get_database()
    if database is None:
        return InMemoryAnswerStore(retention_seconds=0.5)
    return DatabaseAnswerStore(database.engine, "chat", retention_seconds=0.5)
