import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from src.application.errors import StoreError
from src.application.ports.in_memory import InMemoryActionLedger
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.stores import close_stores, get_stores
from src.infrastructure.logs import mask_secrets
from tests.contracts.examples import an_action
from tests.infrastructure.database.conftest import UseDatabase


def test_without_an_address_everything_stays_in_memory(use_database: UseDatabase) -> None:
    use_database(None)

    assert isinstance(get_stores("chat").ledger, InMemoryActionLedger)


def test_stores_are_built_once_for_each_scope(database_url: str) -> None:
    with ThreadPoolExecutor(16) as threads:
        built = list(threads.map(lambda _: get_stores("chat"), range(16)))

    assert all(stores is built[0] for stores in built)
    assert get_stores("hitl") is not built[0]


def test_closing_reads_the_settings_again(use_database: UseDatabase, tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        use_database(f"sqlite:///{tmp_path / name}")
        assert get_stores("chat").ledger.claim(an_action()).granted
    close_stores()
    close_stores()


def test_a_relative_path_starts_at_the_working_directory(
    use_database: UseDatabase, tmp_path: Path
) -> None:
    use_database("sqlite:///data/new/app.db")
    get_stores("chat")

    assert (tmp_path / "data" / "new" / "app.db").is_file()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_usual_form_of_a_postgresql_address_works(
    use_database: UseDatabase, postgres_url: str, scheme: str
) -> None:
    use_database(f"{scheme}://{postgres_url.partition('://')[2]}")

    assert get_stores("chat").ledger.claim(an_action()).granted


@pytest.mark.parametrize(
    "url",
    [
        "mysql://anna:s3cret@localhost/app",
        "data/app.db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a.db?password=s3cret",
        "postgresql://anna:s3cret@host:port/app",
        "postgresql://anna:s3c%ret@host/app",
        "postgresql://anna:s3cret@host/app?nonsense=1",
    ],
)
def test_an_address_of_the_wrong_form_is_refused_with_the_way_out(
    use_database: UseDatabase, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    use_database(url)

    with pytest.raises(DatabaseConfigurationError, match="DATABASE_URL") as refusal:
        get_stores("chat")
    with pytest.raises(DatabaseConfigurationError):
        get_checkpointer()
    assert "s3c" not in str(refusal.value)
    assert mask_secrets(str(refusal.value)) == str(refusal.value)  # the way out stays readable
    assert "s3c" not in caplog.text
    assert "DATABASE_URL" in caplog.text


def test_a_path_that_cannot_be_written_is_refused_with_the_way_out(
    use_database: UseDatabase, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "text.db").write_text("This is not a database, but it is long enough. " * 100)

    for path in ("file/app.db", "folder.db", "text.db"):
        use_database(f"sqlite:///{path}")
        with pytest.raises(DatabaseConfigurationError, match="DATABASE_URL"):
            get_stores("chat")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_rights_is_refused_with_the_way_out(
    use_database: UseDatabase, tmp_path: Path
) -> None:
    (tmp_path / "readonly").mkdir(mode=0o500)
    use_database("sqlite:///readonly/app.db")

    with pytest.raises(DatabaseConfigurationError, match="DATABASE_URL"):
        get_stores("chat")


def test_a_server_that_does_not_answer_is_tried_again_at_the_next_call(
    use_database: UseDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_database("postgresql://anna:s3cret@127.0.0.1:1/app")
    with pytest.raises(StoreError) as failure:
        get_stores("chat")
    assert "s3cret" not in str(failure.value)

    monkeypatch.setenv("DATABASE_URL", postgres_url)
    assert get_stores("chat").ledger.claim(an_action()).granted


def test_arguments_of_statements_stay_out_of_the_log(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    get_stores("chat").ledger.claim(an_action(args={"text": "private"}))

    assert "private" not in caplog.text
