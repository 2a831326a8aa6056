from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine


class Transactions:
    """Runs several plain statements as one transaction, on a connection of the engine's pool.

    The engine's connections commit each statement by themselves, so a transaction says where it
    begins and ends. Statements are written once with ``?`` for a parameter.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"

    def sql(self, statement: str) -> str:
        """Return a statement with the driver's own sign for a parameter."""
        return statement if self._is_sqlite else statement.replace("?", "%s")

    def run(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each row, all in one transaction."""
        if len(rows) == 1:
            # It commits by itself. The fewer calls, the sooner the next one has the connection.
            with self._cursor() as cursor:
                cursor.execute(self.sql(statement), rows[0])
            return
        with self.write() as cursor:
            cursor.executemany(self.sql(statement), rows)

    def rows(self, statement: str, parameters: Sequence[Any]) -> list[Any]:
        """Run one query and return its rows."""
        with self._cursor() as cursor:
            return list(cursor.execute(self.sql(statement), parameters).fetchall())

    @contextmanager
    def write(self) -> Iterator[Any]:
        """Give the cursor of a transaction that commits at the end of the block."""
        with self._cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE" if self._is_sqlite else "BEGIN")
            yield cursor
            cursor.execute("COMMIT")

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        connection = self._engine.raw_connection()
        try:
            yield connection.cursor()
        except BaseException:
            # Whatever state it is in: a new connection is cheaper than a wrong one.
            connection.invalidate()
            raise
        finally:
            connection.close()
