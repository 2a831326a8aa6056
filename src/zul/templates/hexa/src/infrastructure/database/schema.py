"""Brings the schema of a database up to date, by one process at a time."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from src.application.errors import StoreError
from src.infrastructure.database.database import Database
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.database.named_locks import holding, lock_name

logger = logging.getLogger(__name__)

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "zul_schema_version"

_VERSION = text(f"SELECT max(version_num) FROM {VERSION_TABLE}")  # noqa: S608 - a constant
# Long enough for a migration that another process is running.
_WAIT_SECONDS = 300.0
_NO_RIGHTS = {"42501", "25006"}


def newest_version() -> str:
    """Return the version that the files of this service know."""
    return max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def ensure_schema(database: Database) -> None:
    """Create or upgrade all tables where that is needed.

    A schema newer than this service is left alone: during a rolling deployment the old release
    still runs.

    Raises:
        DatabaseConfigurationError: the schema is old and the account may not change it.
        StoreError: the database did not answer.
    """
    with _reported_errors(database):
        if _is_current(database):
            return
        with holding(database.locks, lock_name("schema"), wait_seconds=_WAIT_SECONDS):
            if not _is_current(database):
                _upgrade(database)


def _is_current(database: Database) -> bool:
    with database.engine.connect() as connection:
        if not inspect(connection).has_table(VERSION_TABLE):
            return False
        version: str | None = connection.scalar(_VERSION)
    return version is not None and version >= newest_version()


def _upgrade(database: Database) -> None:
    # Alembic is needed once in the life of a release, not at every start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    logger.info("Upgrading the database's schema to %s", newest_version())
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with database.ddl_transaction() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _reported_errors(database: Database) -> Iterator[None]:
    driver_errors: tuple[type[Exception], ...] = (SQLAlchemyError, *database.driver_errors)
    try:
        yield
    except driver_errors as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if getattr(cause, "sqlstate", None) in _NO_RIGHTS:
            raise DatabaseConfigurationError(
                "Skema database belum siap dan akun pada DATABASE_URL tidak berhak mengubahnya. "
                "Jalankan `python -m src.infrastructure.database.migrate` dengan akun yang berhak."
            ) from error
        raise StoreError from error
    except TimeoutError as error:
        raise StoreError from error
