from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any, cast

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import ProgrammingError
from typing_extensions import override

from src.infrastructure.database.advisory_locks import AdvisoryLocks
from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError

_SaverPool = ConnectionPool[psycopg.Connection[DictRow]]

# A peer that vanished without a word is given up after about 30 seconds instead of 15 minutes.
# What the address says about them goes first.
_OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "connect_timeout": 5,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class _PooledPostgresSaver(PostgresSaver):
    """A saver whose calls run at the same time, each on a connection of its own."""

    def __init__(self, pool: _SaverPool, serde: SerializerProtocol) -> None:
        super().__init__(pool, serde=serde)
        # The library's lock guards a single shared connection; there is none.
        self.lock = cast("Lock", nullcontext())


class PostgresDatabase(Database):
    """A PostgreSQL server, for any number of processes on any number of machines.

    One process keeps at most ``2 * pool_size + 1`` connections.

    Args:
        address: in libpq's form, ``postgresql://...``.
        pool_size: the most connections for the savers, and for the service's own tables.
        prepared_statements: ``False`` behind a transaction-pooling proxy.

    Raises:
        DatabaseConfigurationError: the address has the wrong form.
    """

    driver_errors = (psycopg.Error,)

    def __init__(self, address: str, *, pool_size: int, prepared_statements: bool) -> None:
        given = _parameters(address)
        options = {name: value for name, value in _OPTIONS.items() if name not in given}
        if not prepared_statements:
            options["prepare_threshold"] = None
        self.locks = self._locks = AdvisoryLocks(
            lambda: psycopg.connect(address, **{**options, "prepare_threshold": None})
        )
        self.engine = create_engine(
            "postgresql+psycopg://",
            creator=lambda: psycopg.connect(address, **options),
            pool_size=pool_size,
            max_overflow=0,
            pool_pre_ping=True,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )
        self._pool: _SaverPool = ConnectionPool(
            address,
            kwargs={**options, "row_factory": dict_row},
            min_size=1,
            max_size=pool_size,
            check=ConnectionPool.check_connection,
            open=False,
            name="langgraph",
        )

    @override
    def make_saver(self, serde: SerializerProtocol) -> PostgresSaver:
        self._pool.open()
        return _PooledPostgresSaver(self._pool, serde)

    @override
    def savers_are_current(self) -> bool:
        try:
            with self.engine.connect() as connection:
                newest = connection.scalar(text("SELECT max(v) FROM checkpoint_migrations"))
        except ProgrammingError as error:
            if isinstance(error.orig, psycopg.errors.UndefinedTable):
                return False
            raise
        return newest is not None and newest >= len(PostgresSaver.MIGRATIONS) - 1

    @override
    def set_up_savers(self) -> None:
        with self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            PostgresSaver(cast("psycopg.Connection[DictRow]", driver)).setup()

    @override
    @contextmanager
    def ddl_transaction(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="READ COMMITTED")
            with connection.begin():
                yield connection

    @override
    def close(self) -> None:
        self._pool.close()
        self.engine.dispose()
        self._locks.close()


def _parameters(address: str) -> dict[str, Any]:
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        # Left behind here: the driver's text quotes the address, and with it perhaps the password.
        parameters = None
    if parameters is None or not _are_ports(str(parameters.get("port", ""))):
        raise DatabaseConfigurationError(
            "Bentuk DATABASE_URL salah. Contoh: `postgresql://pengguna:sandi@host:5432/nama`; "
            "karakter khusus di dalam sandi ditulis sebagai %XX."
        )
    return parameters


def _are_ports(text: str) -> bool:
    return all(port.isdecimal() for port in text.split(",") if port)
