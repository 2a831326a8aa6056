from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy import Connection, create_engine
from typing_extensions import override

from src.infrastructure.database.advisory_locks import AdvisoryLocks
from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError

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


class PostgresDatabase(Database):
    """A PostgreSQL server, for any number of processes on any number of machines.

    One process keeps at most ``pool_size + 1`` connections.

    Args:
        address: in libpq's form, ``postgresql://...``.
        pool_size: the most connections for statements; the locks have one of their own.
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
        self.state_engine = self.engine

    @override
    @contextmanager
    def ddl_transaction(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="READ COMMITTED")
            with connection.begin():
                yield connection

    @override
    def close(self) -> None:
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
            "Bentuk DATABASE_URL salah. Contoh: `postgresql://<pengguna>:<sandi>@host:5432/nama`; "
            "karakter khusus di dalam sandi ditulis sebagai %XX."
        )
    return parameters


def _are_ports(text: str) -> bool:
    return all(port.isdecimal() for port in text.split(",") if port)
