import logging
import os
import sys
import threading
from pathlib import Path

from typing_extensions import override

from src.application.errors import StoreError
from src.infrastructure.database.named_locks import NamedLocks

logger = logging.getLogger(__name__)

if sys.platform == "win32":
    import msvcrt

    # The C runtime takes offsets of 31 bits. Two conversations that share one wait for each other.
    _OFFSETS = 2**31 - 1

    def _lock_byte(file: int, offset: int) -> None:
        os.lseek(file, offset, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock_byte(file: int, offset: int) -> None:
        os.lseek(file, offset, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    _OFFSETS = 2**62

    def _lock_byte(file: int, offset: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)

    def _unlock_byte(file: int, offset: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, offset)


class FileLocks(NamedLocks):
    """Locks single bytes of one empty file, on a local disk of one machine.

    The system takes back the locks of a process that ends, however it ends. They belong to the
    process, not to the descriptor: closing any descriptor of the file gives all of them up. So a
    process opens the file once (``open_file_locks``) and leaves it open while a lock is held.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        self._held: set[int] = set()
        self._guard = threading.Lock()

    @override
    def try_acquire(self, name: int, *, patience_seconds: float = 0) -> bool:
        # Nobody is long in the guard: the system answers at once.
        offset = name % _OFFSETS
        with self._guard:
            # The system would grant this process a byte that it has already.
            if offset in self._held:
                return False
            try:
                _lock_byte(self._file, offset)
            except (BlockingIOError, PermissionError):
                return False
            except OSError as error:
                raise StoreError from error
            self._held.add(offset)
            return True

    @override
    def release(self, name: int) -> bool:
        offset = name % _OFFSETS
        with self._guard:
            self._held.discard(offset)
            try:
                _unlock_byte(self._file, offset)
            except OSError:
                # The byte ends with the process, and until then this process may take it again.
                # What was done under the lock is not undone by it.
                logger.exception("A lock could not be given back")
                return False
        return True

    def close_if_idle(self) -> bool:
        """Close the file unless a lock is held, and tell whether it is closed."""
        with self._guard:
            if not self._held:
                os.close(self._file)
            return not self._held


_open_files: dict[tuple[int, str], FileLocks] = {}
_open_files_guard = threading.Lock()


def _process_and_file(path: Path) -> tuple[int, str]:
    # A forked child must not take over the parent's notes of what is held.
    return os.getpid(), os.path.realpath(path)


def open_file_locks(path: Path) -> FileLocks:
    """Return this process' one object for the file.

    Raises:
        OSError: the file cannot be made or opened.
    """
    key = _process_and_file(path)
    with _open_files_guard:
        if key not in _open_files:
            _open_files[key] = FileLocks(path)
        return _open_files[key]


def close_file_locks(path: Path) -> None:
    """Close the file; one with a lock on it stays open until the process ends."""
    key = _process_and_file(path)
    with _open_files_guard:
        locks = _open_files.get(key)
        if locks is not None and locks.close_if_idle():
            del _open_files[key]
