from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy import Connection, create_engine
from typing_extensions import override

from src.infrastructure.database.advisory_locks import AdvisoryLocks
from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.postgres_connection import Connector, LimitedConnection

LOCK_ANSWER_SECONDS = 10.0
"""The limit of the connection for locks, where the server has nothing to do but answer."""


class PostgresDatabase(Database):
    """A PostgreSQL server, for any number of processes on any number of machines.

    One process keeps at most ``pool_size + 1`` connections.

    Args:
        address: in libpq's form, ``postgresql://...``.
        pool_size: the most connections for statements; the locks have one of their own.
        prepared_statements: ``False`` behind a transaction-pooling proxy.
        limit_seconds: how long one statement may take; ``None`` for no limit.

    Raises:
        DatabaseConfigurationError: the address has the wrong form.
    """

    driver_errors = (psycopg.Error,)

    def __init__(
        self,
        address: str,
        *,
        pool_size: int,
        prepared_statements: bool,
        limit_seconds: float | None = None,
    ) -> None:
        given = _parameters(address)
        self.locks = self._locks = AdvisoryLocks(
            Connector(
                address,
                given,
                limit_seconds=min(limit_seconds or LOCK_ANSWER_SECONDS, LOCK_ANSWER_SECONDS),
                prepared_statements=False,
            )
        )
        self.engine = create_engine(
            "postgresql+psycopg://",
            creator=Connector(
                address,
                given,
                limit_seconds=limit_seconds,
                prepared_statements=prepared_statements,
            ),
            pool_size=pool_size,
            max_overflow=0,
            pool_pre_ping=True,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )
        self.state_engine = self.engine

    @override
    @contextmanager
    def ddl_transaction(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="READ COMMITTED")
            with connection.begin(), _unlimited(connection):
                yield connection

    @override
    def close(self) -> None:
        self.engine.dispose()
        self._locks.close()


@contextmanager
def _unlimited(connection: Connection) -> Iterator[None]:
    """Let the statements of a transaction take the time that they need: an index may be large."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, LimitedConnection)  # noqa: S101  # this module's own
    for name in ("statement_timeout", "lock_timeout"):
        connection.exec_driver_sql(f"SET LOCAL {name} = 0")
    limit, driver.answer_seconds = driver.answer_seconds, None
    try:
        yield
    finally:
        driver.answer_seconds = limit


def _parameters(address: str) -> dict[str, Any]:
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        # Left behind here: the driver's text quotes the address, and with it perhaps the password.
        parameters = None
    if parameters is None or not _are_ports(str(parameters.get("port", ""))):
        raise DatabaseConfigurationError(
            "Bentuk DATABASE_URL salah. Contoh: `postgresql://<pengguna>:<sandi>@host:5432/nama`; "
            "karakter khusus di dalam sandi ditulis sebagai %XX."
        )
    return parameters


def _are_ports(text: str) -> bool:
    return all(port.isdecimal() for port in text.split(",") if port)
