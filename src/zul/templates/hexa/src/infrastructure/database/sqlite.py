import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver
from sqlalchemy import Connection, QueuePool, create_engine
from typing_extensions import override

from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.file_locks import close_file_locks, open_file_locks
from src.infrastructure.database.named_locks import holding, lock_name

BUSY_TIMEOUT_SECONDS = 30.0


class _ClosingConnection(sqlite3.Connection):
    """Closes with its last user; copies of a saver share one connection."""

    def __del__(self) -> None:
        # One that could not be opened cannot be closed either.
        with suppress(sqlite3.ProgrammingError):
            self.close()


class SqliteDatabase(Database):
    """One file on a local disk, in WAL mode, for any number of processes of one machine.

    A commit outlives the death of the process. Commits of the service's own tables also outlive a
    power failure; those of the savers may lose the last moments, never their consistency.

    Raises:
        DatabaseConfigurationError: the file or its folder cannot be made or written.
    """

    driver_errors = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock_path = self._path.with_name(f"{self._path.name}.lock")
        self._savers_connections: weakref.WeakSet[sqlite3.Connection] = weakref.WeakSet()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.locks = open_file_locks(self._lock_path)
            self._use_write_ahead_log()
        except (OSError, sqlite3.Error) as error:
            raise DatabaseConfigurationError(
                "Berkas SQLite pada DATABASE_URL tidak dapat dibuka atau ditulis. "
                "Periksa jalur dan izin foldernya."
            ) from error
        # One connection: requests queue in this process rather than by polling a locked file.
        self.engine = create_engine(
            "sqlite://",
            creator=lambda: self._connect(synchronous="FULL"),
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
            pool_timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )

    @override
    def make_saver(self, serde: SerializerProtocol) -> SqliteSaver:
        connection = self._connect(synchronous="NORMAL")
        self._savers_connections.add(connection)
        return SqliteSaver(connection, serde=serde)

    @override
    def savers_are_current(self) -> bool:
        # A saver brings its tables up to date itself, and they are there once the schema is.
        return True

    @override
    def set_up_savers(self) -> None:
        with closing(self._connect(synchronous="FULL")) as connection:
            SqliteSaver(connection).setup()

    @override
    @contextmanager
    def ddl_transaction(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")

    @override
    def close(self) -> None:
        self.engine.dispose()
        for connection in list(self._savers_connections):
            connection.close()
        close_file_locks(self._lock_path)

    def _use_write_ahead_log(self) -> None:
        # The change needs the file alone, and SQLite does not wait for that.
        with (
            holding(self.locks, lock_name("journal mode"), wait_seconds=BUSY_TIMEOUT_SECONDS),
            closing(self._connect(synchronous="FULL")) as connection,
        ):
            connection.execute("PRAGMA journal_mode = WAL")

    def _connect(self, *, synchronous: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path,
            timeout=BUSY_TIMEOUT_SECONDS,
            check_same_thread=False,
            factory=_ClosingConnection,
        )
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        return connection
