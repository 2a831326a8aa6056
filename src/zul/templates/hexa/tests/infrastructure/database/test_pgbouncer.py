"""The service behind a proxy that gives every transaction another server session."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from sqlalchemy import text

from src.application.errors import StoreError
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.stores import get_stores
from tests.contracts.test_conversation_lock import another_process, is_free
from tests.infrastructure.database.conftest import UseDatabase
from tests.infrastructure.database.test_postgres import use_everything
from tests.support.postgres import PostgresServer

# Where Debian puts it is on nobody's PATH but root's.
PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="pgbouncer is not installed: `apt-get install pgbouncer`"
)

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
"""


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=1).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def proxy(postgres_server: PostgresServer, postgres_url: str, tmp_path: Path) -> Iterator[str]:
    """Give the address of a migrated database behind the proxy."""
    server = urlsplit(postgres_server.address)
    if server.port is None or server.password:
        pytest.skip("the proxy needs a server with a port and without a password")
    own_port = 20_000 + secrets.randbelow(12_000)
    configuration = tmp_path / "pgbouncer.ini"
    configuration.write_text(
        CONFIGURATION.format(
            host=server.hostname, port=server.port, user=server.username, own_port=own_port
        )
    )
    # The proxy refuses to run as root.
    as_account = ["-u", "postgres"] if sys.platform != "win32" and os.geteuid() == 0 else []
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    url = f"postgresql://postgres@127.0.0.1:{own_port}{urlsplit(postgres_url).path}"
    with subprocess.Popen(  # noqa: S603 - the arguments are ours
        [str(PROGRAM), "-q", *as_account, str(configuration)], stderr=subprocess.DEVNULL
    ) as process:
        try:
            deadline = time.monotonic() + 10
            while not _answers(url):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield url
        finally:
            process.terminate()


@pytest.fixture
def behind_proxy(use_database: UseDatabase, proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PREPARED_STATEMENTS", "false")
    use_database(proxy)


@pytest.mark.usefixtures("behind_proxy")
def test_fifty_requests_on_ten_threads_work() -> None:
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(lambda number: use_everything("chat", f"t{number}"), range(50)))


@pytest.mark.usefixtures("behind_proxy")
def test_a_statement_is_given_up_though_the_proxy_takes_no_limits(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_TIMEOUT_SECONDS", "0.2")
    database = get_database()
    assert database is not None

    begin = time.monotonic()
    with pytest.raises(StoreError):
        Statements(database.engine).rows(text("SELECT pg_sleep(20)"), {})
    assert time.monotonic() - begin < 15
    assert "takes no limits from its clients" in caplog.text

    use_everything()


@pytest.mark.usefixtures("behind_proxy")
def test_processes_exclude_each_other_and_leave_no_lock(postgres_server: PostgresServer) -> None:
    lock = get_stores("chat").lock
    with another_process("chat", "t1") as owner:
        for _ in range(20):
            assert not is_free(lock, "t1")
            assert is_free(lock, "t2")
        with lock.hold("t2"):
            assert not is_free(lock, "t1")
        owner.kill()
        with lock.hold("t1", wait_seconds=10):
            pass
    assert postgres_server.execute("SELECT * FROM pg_locks WHERE locktype = 'advisory'") == []


def test_the_tables_are_made_through_the_proxy(
    proxy: str,
    use_database: UseDatabase,
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_PREPARED_STATEMENTS", "false")
    with postgres_server.database() as name:
        use_database(urlsplit(proxy)._replace(path=f"/{name}").geturl())
        use_everything()
        use_database(None)
