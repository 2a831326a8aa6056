import os
import subprocess
import sys
from pathlib import Path

import pytest

from src.application.ports.action_ledger import ActionStatus
from src.infrastructure.database.stores import get_stores
from tests.contracts.examples import a_review, an_action

PROJECT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_what_a_killed_process_had_written_is_there(database_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.infrastructure.database.killed_worker"],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        check=False,
    )
    assert done.returncode == -9

    stores = get_stores("chat")
    with stores.lock.hold("t1", wait_seconds=10):
        assert stores.reviews.unsettled("t1") == a_review()
        assert not stores.ledger.claim(an_action()).granted
        assert [record.status for record in stores.ledger.records("t1")] == [ActionStatus.UNKNOWN]
