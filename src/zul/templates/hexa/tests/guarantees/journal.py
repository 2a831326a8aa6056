"""What tools did, in a file that outlives every process.

An action is written in two halves around its work, each forced to disk. A half is one ``write``
to a file opened for appending, so lines of different processes never mix.
"""

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from langchain_core.tools import BaseTool, tool

GUARDED = "transfer"
FREE = "look_up"


@dataclass(frozen=True)
class Journal:
    path: Path

    def write(self, half: str, token: str) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, f"{half} {token}\n".encode())
            os.fsync(file)
        finally:
            os.close(file)

    def started(self) -> Counter[str]:
        return self._tokens("start")

    def ended(self) -> Counter[str]:
        return self._tokens("end")

    def _tokens(self, half: str) -> Counter[str]:
        if not self.path.exists():
            return Counter()
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return Counter(line.split(" ", 1)[1] for line in lines if line.startswith(f"{half} "))


def make_tools(journal: Journal) -> list[BaseTool]:
    """One tool that needs approval, and one that does not."""

    @tool(GUARDED)
    def transfer(token: str, seconds: float = 0.0) -> str:
        """Do something that must not happen twice."""
        journal.write("start", token)
        time.sleep(seconds)
        journal.write("end", token)
        return f"transferred {token}"

    @tool(FREE)
    def look_up(token: str, seconds: float = 0.0) -> str:
        """Read something."""
        time.sleep(seconds)
        return f"found {token}"

    return [transfer, look_up]
