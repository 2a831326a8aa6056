"""Importing ``main`` reads no key and opens nothing, however the service is configured."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

IMPORT_UNDER_WATCH = """
import json, sys

opened = []

def watch(event, args):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "sqlite3.connect")):
        opened.append([event, repr(args)])
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        opened.append([event, repr(args)])
    if event in {"os.mkdir", "subprocess.Popen"}:
        opened.append([event, repr(args)])

sys.addaudithook(watch)
sys.dont_write_bytecode = True

from src.interface.http.main import app

drivers = ["psycopg", "sqlite3", "openai", "anthropic", "langchain_openai"]
print(json.dumps({
    "opened": opened,
    "drivers": [name for name in drivers if name in sys.modules],
    "paths": sorted(app.openapi()["paths"]),
}))
"""


def import_with(folder: Path, **settings: str) -> dict[str, Any]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", IMPORT_UNDER_WATCH],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"DATABASE_URL": "sqlite:///data/app.db", "PLAYGROUND_ENABLED": "true"},
        {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "LLM_MODEL": "nobody:nothing"},
    ],
    ids=["no settings", "a file and the playground", "settings that cannot work"],
)
def test_importing_the_application_has_no_effect(tmp_path: Path, settings: dict[str, str]) -> None:
    found = import_with(tmp_path, **settings)

    assert found["opened"] == []
    assert found["drivers"] == []
    assert "/chat" in found["paths"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("switch", "there"), [("TRUE", True), ("off", False)])
def test_the_playground_is_switched_when_main_is_imported(
    tmp_path: Path, switch: str, *, there: bool
) -> None:
    (tmp_path / ".env").write_text(f"PLAYGROUND_ENABLED={switch}\n")

    paths = import_with(tmp_path)["paths"]

    assert any(path.startswith("/playground") for path in paths) is there
