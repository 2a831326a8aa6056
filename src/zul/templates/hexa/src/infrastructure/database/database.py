import re
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from src.infrastructure.database.named_locks import NamedLocks

if TYPE_CHECKING:
    # A quarter of a second to import, and a service without a database needs none of it.
    from sqlalchemy import Connection, Engine


class Database(ABC):
    """What one process keeps open for one ``DATABASE_URL``.

    Attributes:
        engine: every statement is a transaction of its own; none is open between two statements.
        state_engine: for the states of conversations; what they need of durability may be less.
        driver_errors: what the driver raises when the database does not do its part.
    """

    engine: "Engine"
    state_engine: "Engine"
    locks: NamedLocks
    driver_errors: tuple[type[Exception], ...]

    @abstractmethod
    def ddl_transaction(self) -> "AbstractContextManager[Connection]":
        """Open a transaction in which changes of the schema succeed or fail together."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection."""


def mask_password(url: str) -> str:
    """Return the address in a form that may be logged."""
    without_user_info = re.sub(r"://.*@", "://***@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1***", without_user_info)
