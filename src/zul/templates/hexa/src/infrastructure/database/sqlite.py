import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, QueuePool, create_engine
from typing_extensions import override

from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.file_locks import close_file_locks, open_file_locks
from src.infrastructure.database.named_locks import holding, lock_name

BUSY_TIMEOUT_SECONDS = 30.0


class SqliteDatabase(Database):
    """One file on a local disk, in WAL mode, for any number of processes of one machine.

    A commit outlives the death of the process. Commits of the service's own tables also outlive a
    power failure; those of the states may lose the last moments, never their consistency.

    Raises:
        DatabaseConfigurationError: the file or its folder cannot be made or written.
    """

    driver_errors = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock_path = self._path.with_name(f"{self._path.name}.lock")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.locks = open_file_locks(self._lock_path)
            self._use_write_ahead_log()
        except (OSError, sqlite3.Error) as error:
            raise DatabaseConfigurationError(
                "Berkas SQLite pada DATABASE_URL tidak dapat dibuka atau ditulis. "
                "Periksa jalur dan izin foldernya."
            ) from error
        self.engine = self._make_engine(synchronous="FULL")
        self.state_engine = self._make_engine(synchronous="NORMAL")

    def _make_engine(self, *, synchronous: str) -> Engine:
        # One connection: requests queue in this process rather than by polling a locked file.
        return create_engine(
            "sqlite://",
            creator=lambda: self._connect(synchronous=synchronous),
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
            pool_timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )

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
        self.state_engine.dispose()
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
        )
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        return connection
