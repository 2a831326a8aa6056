"""The service of these tests in a process of its own."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

PROJECT = Path(__file__).parents[2]
START_SECONDS = 90.0
LLM_TIMEOUT_SECONDS = 2
_ADDRESS = re.compile(r"running on http://127\.0\.0\.1:(\d+)")


@dataclass
class Service:
    """A service that can be stopped and started again at the same address and store."""

    folder: Path
    stalled_llm: str
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def page(self) -> str:
        return f"{self.url}/playground"

    def start(self) -> None:
        log = self.folder / "server.log"
        command = [sys.executable, "-m", "uvicorn", "tests.browser.service:app"]
        with log.open("wb") as output:
            self.process = subprocess.Popen(  # noqa: S603 - the arguments are ours
                [*command, "--host", "127.0.0.1", "--port", str(self.port), "--no-access-log"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.port = self._announced_port(log)
        assert httpx.get(f"{self.url}/health", timeout=30).status_code == 200

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ran(self) -> list[dict[str, Any]]:
        """What the tools did, in order."""
        file = self.folder / "ran"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            "RAN": str(self.folder / "ran"),
            "DATABASE_URL": f"sqlite:///{self.folder / 'app.db'}",
            "PLAYGROUND_ENABLED": "1",
            "CONVERSATION_WAIT_SECONDS": "3",
            "TOOL_RESULT_MAX_CHARS": "200000",
            "LOG_LEVEL": "CRITICAL",
            "LLM_MODEL": "openai:stalled",
            "LLM_BASE_URL": self.stalled_llm,
            "LLM_TIMEOUT_SECONDS": str(LLM_TIMEOUT_SECONDS),
            "LLM_MAX_RETRIES": "0",
            "OPENAI_API_KEY": "none",
        }

    def _announced_port(self, log: Path) -> int:
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if found := _ADDRESS.search(log.read_text(encoding="utf-8")):
                return int(found[1])
            time.sleep(0.05)
        raise AssertionError(f"the server did not start:\n{log.read_text(encoding='utf-8')}")


@contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """Run the service, beside a language model that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        service = Service(folder, f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        service.start()
        try:
            yield service
        finally:
            service.stop()
