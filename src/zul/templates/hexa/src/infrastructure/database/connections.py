import logging
import os
import threading
from pathlib import Path

from src.infrastructure.database.database import Database, mask_password
from src.infrastructure.database.errors import DatabaseConfigurationError
from src.infrastructure.settings import Settings

logger = logging.getLogger(__name__)

_POSTGRES_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+psycopg"})

_guard = threading.Lock()
_open: dict[int, Database] = {}


def get_database(*, limited: bool = True) -> Database | None:
    """Return this process' database, with its schema up to date; ``None`` without ``DATABASE_URL``.

    It is opened once, also by simultaneous first calls; an attempt that failed is made again.

    Args:
        limited: with ``DATABASE_TIMEOUT_SECONDS`` for each statement; ``False`` is for commands, on
            the first call, where a statement may go through whole tables.

    Raises:
        DatabaseConfigurationError: the database cannot be used as it is configured.
        StoreError: the database did not answer.
    """
    # A forked child must not share its parent's connections.
    process = os.getpid()
    with _guard:
        if process not in _open:
            settings = Settings()
            if settings.database_url is None:
                return None
            limit = (settings.database_timeout_seconds or None) if limited else None
            _open[process] = _open_database(settings.database_url, settings, limit)
        return _open[process]


def close_database() -> None:
    """Close the database of this process; the next ``get_database`` reads the settings again."""
    with _guard:
        database = _open.pop(os.getpid(), None)
    if database is not None:
        database.close()


def _open_database(url: str, settings: Settings, limit_seconds: float | None) -> Database:
    try:
        database = _make_database(url, settings, limit_seconds)
    except DatabaseConfigurationError:
        logger.exception("DATABASE_URL %s cannot be used", mask_password(url))
        raise
    from src.infrastructure.database.schema import ensure_schema  # noqa: PLC0415 - as the drivers

    try:
        ensure_schema(database)
    except BaseException:
        database.close()
        raise
    return database


def _make_database(url: str, settings: Settings, limit_seconds: float | None) -> Database:
    scheme, _, rest = url.strip().partition("://")
    if scheme == "sqlite":
        path = _sqlite_path(rest)
        # Each driver is imported where it is used; both together cost half a second.
        from src.infrastructure.database.sqlite import SqliteDatabase  # noqa: PLC0415

        return SqliteDatabase(path)
    if scheme in _POSTGRES_SCHEMES:
        from src.infrastructure.database.postgres import PostgresDatabase  # noqa: PLC0415

        return PostgresDatabase(
            f"postgresql://{rest}",
            pool_size=settings.database_pool_size,
            prepared_statements=settings.database_prepared_statements,
            limit_seconds=limit_seconds,
        )
    raise DatabaseConfigurationError(
        "DATABASE_URL tidak dikenal. Pakai `sqlite:///data/app.db` atau "
        "`postgresql://<pengguna>:<sandi>@host/nama`. "
        "Kosongkan agar percakapan disimpan di memori."
    )


def _sqlite_path(rest: str) -> Path:
    path = rest.removeprefix("/")
    if rest == path or path in {"", ":memory:"} or "?" in path or "\0" in path:
        raise DatabaseConfigurationError(
            "DATABASE_URL untuk SQLite harus menyebut sebuah berkas, misalnya "
            "`sqlite:///data/app.db`. Kosongkan agar percakapan disimpan di memori."
        )
    return Path(path)
