import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from typing_extensions import override

from src.application.errors import StoreError
from src.infrastructure.database.named_locks import NamedLocks

logger = logging.getLogger(__name__)

_Connection = psycopg.Connection[tuple[Any, ...]]

_BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; "


def _ask(connection: _Connection, statements: str) -> bool:
    """Run statements in one round trip and return the answer of the one that has an answer."""
    # Without parameters psycopg sends the text as it is, as many statements as it holds.
    cursor = connection.execute(statements.encode())
    while cursor.description is None and cursor.nextset():
        pass
    answer = cursor.fetchone()
    return bool(answer and answer[0])


class AdvisoryLocks(NamedLocks):
    """PostgreSQL's session-level advisory locks, all on one connection of this process.

    The server takes them back when that connection ends, however it ends. While any lock is held
    the connection stays inside one transaction: a transaction-pooling proxy then keeps the same
    server session behind it. The transaction holds no snapshot and no row, so it delays neither
    ``VACUUM`` nor anybody else.

    One thread at a time speaks on the connection. When its call stalls the others fail as soon as
    their own patience is over, and the call itself when the connection's limit is.
    """

    def __init__(self, connect: Callable[[], _Connection]) -> None:
        self._connect = connect
        self._connection: _Connection | None = None
        self._held: set[int] = set()
        self._guard = threading.Lock()

    @override
    def try_acquire(self, name: int, *, patience_seconds: float) -> bool:
        with self._turn(patience_seconds):
            # PostgreSQL would grant this session a lock that it has already.
            if name in self._held:
                return False
            granted = self._ask_for(name)
            if granted:
                self._held.add(name)
            return granted

    @contextmanager
    def _turn(self, patience_seconds: float) -> Iterator[None]:
        if not self._guard.acquire(timeout=patience_seconds):
            logger.warning("The connection that holds the locks gives no answer")
            raise StoreError
        try:
            yield
        finally:
            self._guard.release()

    @override
    def release(self, name: int) -> bool:
        # A lock that went with its connection needs no turn: there may be a queue for a server
        # that is gone.
        if name not in self._held:
            return False
        with self._guard:
            if self._connection is None or name not in self._held:
                return False
            self._held.discard(name)
            end = "" if self._held else "; COMMIT"
            try:
                return _ask(self._connection, f"SELECT pg_advisory_unlock({name}){end}")
            except psycopg.Error:
                logger.warning("The connection that holds the locks is lost", exc_info=True)
                self._drop()
                return False

    def close(self) -> None:
        """End the connection and with it every lock."""
        with self._guard:
            self._drop()

    def _ask_for(self, name: int) -> bool:
        was_open = self._connection is not None
        try:
            return self._try_lock(name)
        except psycopg.Error as error:
            self._drop()
            if not was_open:
                raise StoreError from error
        # The connection may have been dead for hours without anybody noticing.
        logger.warning("Connecting again for the locks of conversations")
        return self._ask_for(name)

    def _try_lock(self, name: int) -> bool:
        if self._connection is None:
            self._connection = self._connect()
        begin = "" if self._held else _BEGIN
        granted = _ask(self._connection, f"{begin}SELECT pg_try_advisory_lock({name})")
        if not granted and not self._held:
            self._connection.execute("COMMIT")
        return granted

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._held.clear()
