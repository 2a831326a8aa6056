import logging
from pathlib import Path

import pytest

from src.infrastructure.database import file_locks
from src.infrastructure.database.file_locks import FileLocks


def test_a_lock_that_cannot_be_given_back_fails_nothing_that_was_done_under_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    locks = FileLocks(tmp_path / "lock")

    def refuse(_file: int, _offset: int) -> None:
        raise OSError(37, "No locks available")

    assert locks.try_acquire(1)
    with monkeypatch.context() as patched, caplog.at_level(logging.ERROR):
        patched.setattr(file_locks, "_unlock_byte", refuse)
        assert locks.release(1) is False

    assert "could not be given back" in caplog.text
    assert locks.try_acquire(1)
    assert locks.release(1) is True
    assert locks.close_if_idle()
