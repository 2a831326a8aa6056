from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, Executable, Row, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from src.application.errors import StoreError


@contextmanager
def _store_errors() -> Iterator[None]:
    try:
        yield
    except (DBAPIError, PoolTimeoutError) as error:
        raise StoreError from error


class Statements:
    """Runs statements that were built once, each as a transaction of its own.

    A statement has taken effect for good when its method returns, and none is ever followed by
    another one that relies on what it read.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """Return an ``INSERT`` that can be given an ``ON CONFLICT`` clause."""
        insert = sqlite.insert if self._engine.dialect.name == "sqlite" else postgresql.insert
        # Without these SQLAlchemy asks for the new row's number and forgets the number of rows.
        return insert(table).inline().execution_options(preserve_rowcount=True)

    def change(self, statement: Executable, parameters: Mapping[str, Any]) -> int:
        """Run a statement that writes and return the number of rows it wrote."""
        with _store_errors(), self._engine.connect() as connection:
            return connection.execute(statement, dict(parameters)).rowcount

    def rows(self, statement: Executable, parameters: Mapping[str, Any]) -> list[Row[Any]]:
        """Run a query."""
        with _store_errors(), self._engine.connect() as connection:
            return list(connection.execute(statement, dict(parameters)).all())
