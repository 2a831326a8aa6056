import multiprocessing
import os
import subprocess
import sys
from contextlib import ExitStack
from multiprocessing.synchronize import Barrier
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.migrate import main
from src.infrastructure.database.schema import (
    MIGRATIONS,
    VERSION_TABLE,
    ensure_schema,
    newest_version,
)
from src.infrastructure.database.stores import close_stores, get_stores
from src.infrastructure.database.tables import metadata
from tests.contracts.examples import an_action
from tests.infrastructure.database.conftest import UseDatabase
from tests.support.postgres import PostgresServer

PROJECT = Path(__file__).parents[3]
PROCESSES = 4
ROUNDS = 10


def open_database() -> Database:
    database = get_database()
    assert database is not None
    return database


def test_the_newest_file_is_the_newest_migration() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [newest_version()]


def test_migrations_make_the_tables_of_the_code(empty_database_url: str) -> None:
    with open_database().engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"include_name": lambda name, kind, _: kind != "table" or name in metadata.tables},
        )
        assert compare_metadata(context, metadata) == []


def test_upgrading_again_changes_nothing(empty_database_url: str) -> None:
    get_stores("chat").ledger.claim(an_action())
    ensure_schema(open_database())

    assert len(get_stores("chat").ledger.records("t1")) == 1


def test_a_schema_of_a_later_release_is_left_alone(empty_database_url: str) -> None:
    with open_database().engine.connect() as connection:
        connection.execute(text("UPDATE zul_schema_version SET version_num = '9999'"))
    close_stores()

    assert get_stores("chat").ledger.claim(an_action()).granted


def test_a_half_finished_upgrade_is_finished(empty_database_url: str) -> None:
    with open_database().engine.connect() as connection:
        connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        for table in reversed(metadata.sorted_tables):
            connection.execute(text(f"DROP TABLE {table.name}"))
    close_stores()

    assert get_stores("chat").ledger.claim(an_action()).granted


def _open_many(urls: list[str], everybody: Barrier) -> None:
    for url in urls:
        os.environ["DATABASE_URL"] = url
        everybody.wait(60)
        get_stores("chat").ledger.claim(an_action())
        get_checkpointer().get_tuple({"configurable": {"thread_id": "t1"}})
        everybody.wait(60)
        close_stores()


def _run_together(urls: list[str]) -> None:
    context = multiprocessing.get_context("spawn")
    everybody = context.Barrier(PROCESSES)
    processes = [
        context.Process(target=_open_many, args=(urls, everybody)) for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
    assert [process.exitcode for process in processes] == [0] * PROCESSES


def test_four_processes_start_on_an_empty_sqlite_file_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _run_together([f"sqlite:///{tmp_path / str(number) / 'app.db'}" for number in range(ROUNDS)])


def test_four_processes_start_on_an_empty_postgresql_database_at_once(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ExitStack() as databases:
        names = [databases.enter_context(postgres_server.database()) for _ in range(ROUNDS)]
        _run_together([postgres_server.url(name) for name in names])


def _without_rights(server: PostgresServer, url: str) -> str:
    """Return the same address for an account that may not create tables."""
    server.execute(
        "DO $$ BEGIN CREATE ROLE zul_service LOGIN PASSWORD 's3cret'; "
        "EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"zul_service:s3cret@{parts.netloc.split('@')[1]}"))


def test_an_account_that_may_not_create_tables_is_told_what_to_do(
    postgres_server: PostgresServer, empty_postgres_url: str, use_database: UseDatabase
) -> None:
    use_database(_without_rights(postgres_server, empty_postgres_url))

    with pytest.raises(
        DatabaseConfigurationError, match=r"python -m src[.]infrastructure[.]database[.]migrate"
    ) as refusal:
        get_stores("chat")
    assert "s3cret" not in str(refusal.value)


def test_an_account_that_may_not_create_tables_uses_those_that_are_there(
    postgres_server: PostgresServer, empty_postgres_url: str, use_database: UseDatabase
) -> None:
    restricted = _without_rights(postgres_server, empty_postgres_url)
    use_database(empty_postgres_url)
    assert main() == 0
    with open_database().engine.connect() as connection:
        for grant in (
            "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES",
            "USAGE ON ALL SEQUENCES",
        ):
            connection.execute(text(f"GRANT {grant} IN SCHEMA public TO zul_service"))

    use_database(restricted)
    assert get_stores("chat").ledger.claim(an_action()).granted
    assert get_checkpointer().get_tuple({"configurable": {"thread_id": "t1"}}) is None


def test_the_command_creates_the_tables_twice(
    empty_database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main() == 0
    assert main() == 0
    assert newest_version() in capsys.readouterr().out


def test_the_command_says_what_is_missing(
    use_database: UseDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    for url in (None, "mysql://anna:s3cret@localhost/app"):
        use_database(url)
        assert main() == 1
        assert "DATABASE_URL" in capsys.readouterr().err


def test_the_command_says_that_the_database_does_not_answer(
    use_database: UseDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    use_database("postgresql://anna:s3cret@127.0.0.1:1/app")
    assert main() == 1
    shown = capsys.readouterr().err
    assert "Penyimpanan percakapan tidak dapat dihubungi" in shown
    assert "s3cret" not in shown


def test_a_start_on_a_current_schema_does_not_load_alembic(database_url: str) -> None:
    get_stores("chat")
    close_stores()
    program = (
        "import sys\n"
        "from src.infrastructure.database.stores import get_stores\n"
        "get_stores('chat')\n"
        "sys.exit('alembic' in sys.modules)"
    )

    done = subprocess.run(  # noqa: S603 - the arguments are ours
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        check=False,
    )
    assert done.returncode == 0
