"""Connections to PostgreSQL on which no call waits for ever.

Two limits work together. The server ends a statement that takes too long or waits too long for a
lock; that frees what the statement holds there. The client gives up a server that does not answer
at all: stopped, out of reach behind a proxy, or busy where it takes no notice of its own limits.
"""

import logging
import os
import time
from collections.abc import Generator
from typing import Any, TypeVar, cast

import psycopg
from typing_extensions import override

logger = logging.getLogger(__name__)

RV = TypeVar("RV")

LONGEST_LOCK_WAIT_SECONDS = 10.0
"""How long a statement waits for rows of another transaction: those here are short."""

_GRACE_SECONDS = 3.0
"""What the server has beyond the limit to say that it has ended the statement."""

# A peer that vanished without a word is given up after about 30 seconds instead of 15 minutes.
_NETWORK: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class SilentServerError(psycopg.OperationalError):
    """The server did not answer in time; the connection is closed, what it did is not known."""


class LimitedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed when the server leaves a call without an answer.

    Attributes:
        answer_seconds: the longest wait for the answer to one call; ``None`` for ever.
    """

    answer_seconds: float | None = None

    @override
    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Do one call's exchange with the server; every call passes here.

        Raises:
            SilentServerError: it takes too long.
        """
        if self.answer_seconds is None:
            return super().wait(gen, *args, **kwargs)
        try:
            return super().wait(_within(self.answer_seconds, gen), *args, **kwargs)
        except SilentServerError:
            self.close()
            raise


def _within(seconds: float, exchange: Generator[Any, Any, RV]) -> Generator[Any, Any, RV]:
    """Pass an exchange on; whoever drives it comes back every tenth of a second with nothing."""
    until = time.monotonic() + seconds
    try:
        needs = next(exchange)
        while True:
            ready = yield needs
            if not ready and time.monotonic() > until:
                exchange.close()
                msg = f"The server did not answer within {seconds:g} seconds"
                raise SilentServerError(msg)
            needs = exchange.send(ready)
    except StopIteration as end:
        return cast("RV", end.value)


class Connector:
    """Makes connections with the service's limits; what the address says goes first.

    A proxy may refuse the server's limits at the start of a connection. Then they are left out: as
    a setting of the session they would pass to other clients of the proxy.

    Args:
        address: in libpq's form.
        given: the parameters that the address holds.
        limit_seconds: for one statement; ``None`` for no limit.
        prepared_statements: whether the driver may prepare what it sends often.
    """

    def __init__(
        self,
        address: str,
        given: dict[str, Any],
        *,
        limit_seconds: float | None,
        prepared_statements: bool = True,
    ) -> None:
        self._address = address
        self._options = {name: value for name, value in _NETWORK.items() if name not in given}
        if not prepared_statements:
            self._options["prepare_threshold"] = None
        self._limit = limit_seconds
        own = given.get("options") or os.environ.get("PGOPTIONS", "")
        self._server_limits = "" if limit_seconds is None else f"{_limits(limit_seconds)} {own}"

    def __call__(self) -> LimitedConnection:
        """Connect.

        Raises:
            psycopg.Error: the server cannot be reached or refuses.
        """
        connection = self._connect()
        if self._limit is not None:
            connection.answer_seconds = self._limit + _GRACE_SECONDS
        return connection

    def _connect(self) -> LimitedConnection:
        if self._server_limits:
            try:
                return self._open(options=self._server_limits)
            except psycopg.OperationalError as error:
                if not _is_about_options(error):
                    raise
            logger.warning(
                "What answers at DATABASE_URL takes no limits from its clients, as PgBouncer does. "
                "Set statement_timeout and lock_timeout for the account, so that the server ends "
                "what this service gives up"
            )
            self._server_limits = ""
        return self._open()

    def _open(self, **options: Any) -> LimitedConnection:
        return LimitedConnection.connect(self._address, autocommit=True, **self._options, **options)


def _limits(seconds: float) -> str:
    lock_wait = min(seconds, LONGEST_LOCK_WAIT_SECONDS)
    return f"-c statement_timeout={_ms(seconds)} -c lock_timeout={_ms(lock_wait)}"


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))  # 0 would be no limit


def _is_about_options(error: psycopg.OperationalError) -> bool:
    text = str(error)
    return "startup parameter" in text or "command-line options" in text
