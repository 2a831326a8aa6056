"""What Alembic runs for every command; the service itself passes its connection."""

from contextlib import AbstractContextManager, nullcontext

from alembic import context
from sqlalchemy import Connection

from src.infrastructure.database.connections import get_database
from src.infrastructure.database.schema import VERSION_TABLE
from src.infrastructure.database.tables import metadata


def _connection() -> AbstractContextManager[Connection]:
    given: Connection | None = context.config.attributes.get("connection")
    if given is not None:
        return nullcontext(given)
    database = get_database()
    if database is None:
        message = "DATABASE_URL is not set"
        raise SystemExit(message)
    return database.ddl_transaction()


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    # A database may be shared, and autogenerate would drop the tables that it does not know.
    return kind != "table" or name in metadata.tables


with _connection() as connection:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        include_name=_is_ours,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()
