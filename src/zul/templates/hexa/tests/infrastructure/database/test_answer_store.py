import time

from sqlalchemy import func, select

from src.infrastructure.database.answer_store import DatabaseAnswerStore
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.tables import answers
from tests.contracts.examples import an_answer


def _number_of_rows() -> int:
    database = get_database()
    assert database is not None
    with database.engine.connect() as connection:
        return int(connection.scalar(select(func.count()).select_from(answers)) or 0)


def _store(retention_seconds: float) -> DatabaseAnswerStore:
    database = get_database()
    assert database is not None
    return DatabaseAnswerStore(database.engine, "chat", retention_seconds)


def test_an_expired_answer_makes_room_for_a_new_one(database_url: str) -> None:
    store = _store(retention_seconds=0.3)
    store.save(an_answer())
    time.sleep(0.4)
    store.save(an_answer(body='{"answer": "Lagi"}'))

    assert store.find("POST /chat k1") == an_answer(body='{"answer": "Lagi"}')


def test_a_save_removes_expired_answers_of_every_agent(database_url: str) -> None:
    for number in range(5):
        _store(retention_seconds=60).save(an_answer(f"k{number}", thread_id=f"t{number}"))
    time.sleep(0.2)
    store = _store(retention_seconds=0.1)
    store.save(an_answer())

    assert _number_of_rows() == 1
