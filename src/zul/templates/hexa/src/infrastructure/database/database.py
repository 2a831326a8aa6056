import re
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy import Connection, Engine

from src.infrastructure.database.named_locks import NamedLocks


class Database(ABC):
    """What one process keeps open for one ``DATABASE_URL``.

    Attributes:
        engine: every statement is a transaction of its own; none is open between two statements.
        driver_errors: what the saver's driver raises when the database does not do its part.
    """

    engine: Engine
    locks: NamedLocks
    driver_errors: tuple[type[Exception], ...]

    @abstractmethod
    def make_saver(self, serde: SerializerProtocol) -> BaseCheckpointSaver[str]:
        """Return a new LangGraph saver on this database."""

    @abstractmethod
    def savers_are_current(self) -> bool:
        """Tell whether the tables of the installed savers are there, in one cheap query."""

    @abstractmethod
    def set_up_savers(self) -> None:
        """Create or upgrade the tables of the LangGraph savers. The caller holds a lock."""

    @abstractmethod
    def ddl_transaction(self) -> AbstractContextManager[Connection]:
        """Open a transaction in which changes of the schema succeed or fail together."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection."""


def mask_password(url: str) -> str:
    """Return the address in a form that may be logged."""
    without_user_info = re.sub(r"://.*@", "://***@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1***", without_user_info)
