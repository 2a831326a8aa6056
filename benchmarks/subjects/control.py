"""Takes orders from standard input and answers in JSON on standard output."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def cpu() -> dict[str, Any]:
    """Return the CPU time of this process."""
    return {"seconds": time.process_time()}


def memory() -> dict[str, Any]:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return {"bytes": pages * os.sysconf("SC_PAGE_SIZE")}


def obey(orders: Mapping[str, Callable[..., dict[str, Any]]]) -> None:
    """Carry out orders until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what else is printed is no answer
    known = {"cpu": cpu, "memory": memory, **orders}
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        try:
            answer = known[order.pop("do")](**order)
        except Exception as error:  # noqa: BLE001 - the other side is told
            traceback.print_exc()
            answer = {"failure": repr(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
