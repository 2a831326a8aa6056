"""Serves an application in this process: ``python -m benchmarks.subjects.server APP PORT``."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from typing import Any

import uvicorn

from benchmarks.subjects.control import obey


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    found = getattr(import_module(module), attribute)
    return found() if attribute.startswith("make_") else found


def main() -> None:
    """Serve until standard input ends."""
    application, port = sys.argv[1], int(sys.argv[2])
    server = uvicorn.Server(uvicorn.Config(_load(application), host="127.0.0.1", port=port))

    def control() -> None:
        obey({})
        server.should_exit = True

    threading.Thread(target=control, daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()
