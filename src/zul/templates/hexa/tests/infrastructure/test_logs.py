"""What the owner of a service reads in its first minute."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.infrastructure.logs import configure_logging

PROJECT = Path(__file__).parents[2]

# A process of its own: what a library reports at its import, it reports once.
FIRST_MINUTE = """
from src.interface.http.controllers.hitl_controller import get_reviewed_chat_usecase
from src.interface.http import main

usecase = get_reviewed_chat_usecase()
usecase.send_message("Send an email to alice@example.com: meeting at 10", "t")
usecase.submit_review([{"type": "approve"}], "t")
"""


@pytest.fixture
def untouched_logging() -> Iterator[None]:
    root, alembic = logging.getLogger(), logging.getLogger("alembic")
    before = root.level, alembic.level, list(root.handlers)
    yield
    root.setLevel(before[0])
    alembic.setLevel(before[1])
    root.handlers = before[2]


def test_the_first_minute_of_the_log_has_one_line_for_each_thing_that_happened(
    tmp_path: Path,
) -> None:
    settings = {"LLM_MODEL": "demo", "DATABASE_URL": f"sqlite:///{tmp_path / 'app.db'}"}
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", FIRST_MINUTE],
        cwd=tmp_path,
        env={**os.environ, **settings, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    pattern = r"^.* INFO \[-\] src\.(?:\w+\.)+(\w+): (Upgrading the database's|Email to) .*$"
    lines = done.stderr.splitlines()
    assert [re.sub(pattern, r"\1", line) for line in lines] == ["schema", "email_tool"]


@pytest.mark.parametrize(("level", "shown"), [("INFO", False), ("debug", True)])
@pytest.mark.usefixtures("untouched_logging")
def test_what_a_library_reports_is_there_for_who_asks(level: str, *, shown: bool) -> None:
    configure_logging(level)

    assert logging.getLogger("alembic.runtime.migration").isEnabledFor(logging.INFO) is shown
    assert logging.getLogger("alembic.runtime.migration").isEnabledFor(logging.WARNING)
    assert logging.getLogger("src.anything").isEnabledFor(logging.INFO)
