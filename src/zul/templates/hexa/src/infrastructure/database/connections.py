import logging
import os
import threading
from pathlib import Path

from src.application.errors import StoreError
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


def try_database() -> None:
    """Open the database ahead of the first request; what is wrong with it is in the log then."""
    try:
        get_database()
    except StoreError:
        return  # logged where it happened; the next call tries again
    except Exception:  # the start does not depend on it, and the first request meets it again
        logger.exception("DATABASE_URL cannot be used")


def close_database() -> None:
    """Close the database of this process; the next ``get_database`` reads the settings again."""
    with _guard:
        database = _open.pop(os.getpid(), None)
    if database is not None:
        database.close()


def _open_database(url: str, settings: Settings, limit_seconds: float | None) -> Database:
    try:
        database = _make_database(url, settings, limit_seconds)
        _bring_up_to_date(database)
    except StoreError as error:
        logger.error(  # noqa: TRY400 - whoever catches it logs the traceback
            "DATABASE_URL %s cannot be used: %s (%s). Requests fail until it is mended in the "
            "environment or .env, or what it names answers",
            mask_password(url),
            error,
            _reason(error),
        )
        raise
    return database


def _bring_up_to_date(database: Database) -> None:
    from src.infrastructure.database.schema import ensure_schema  # noqa: PLC0415 - as the drivers

    try:
        ensure_schema(database)
    except BaseException:
        database.close()
        raise


def _reason(error: StoreError) -> str:
    """Return the first line of what the driver or the system says; its text holds no password."""
    cause = getattr(error.__cause__, "orig", error.__cause__)
    return (str(cause).splitlines() or [""])[0] if cause else "its form is wrong"


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
