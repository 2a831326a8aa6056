"""The chat as a process of its own, on the built-in model."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "src.interface.cli"]
EMAIL = "Kirim email ke alice@example.com: rapat jam 10"


def _environ(**settings: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "LLM_MODEL": "demo", **settings}


def _run(*arguments: str, lines: str = "", **settings: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(  # noqa: S603 - the chat itself
        [*COMMAND, *arguments],
        input=lines.encode(),
        capture_output=True,
        env=_environ(**settings),
        timeout=60,
        check=False,
    )


def test_story_over_two_processes() -> None:
    stored = {"DATABASE_URL": "sqlite:///data/app.db"}
    asked = _run("--thread", "t1", "--message", EMAIL, **stored)
    assert asked.returncode == 3
    assert b"alice@example.com" in asked.stdout
    assert b"--agent hitl --thread t1" in asked.stderr

    decided = _run("--thread", "t1", lines="setuju\n", **stored)
    assert decided.returncode == 0
    assert "← send_email: Email sent to alice@example.com".encode() in decided.stdout
    assert b"Traceback" not in decided.stderr


def test_terminal_that_knows_ascii_only() -> None:
    ended = _run(
        "--agent",
        "chat",
        lines="Bagaimana cuaca di Jakarta?\n",
        # Not by the locale: with that, Python could not even start from a folder with an accent.
        PYTHONUTF8="0",
        PYTHONIOENCODING="ascii",
    )
    assert ended.returncode == 0
    assert ended.stdout.isascii()
    assert b"<- get_weather: Weather in Jakarta" in ended.stdout


def test_missing_key_is_named_without_a_traceback() -> None:
    ended = _run("--message", "halo", LLM_MODEL="openai:gpt-5-mini")
    assert ended.returncode == 1
    assert b"Gagal: OPENAI_API_KEY belum diisi." in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_wrong_setting_is_named_without_a_traceback() -> None:
    ended = _run("--message", "halo", LLM_TIMEOUT_SECONDS="soon")
    assert ended.returncode == 1
    assert b"LLM_TIMEOUT_SECONDS: Input should be a valid number" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_interrupt_ends_cleanly() -> None:
    with subprocess.Popen(  # noqa: S603 - the chat itself
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environ(),
        # Background jobs start with the interrupt ignored, and a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as chat:
        assert chat.stdout is not None
        assert chat.stdout.read(6) == b"Kamu: "
        chat.send_signal(signal.SIGINT)
        _, errors = chat.communicate(timeout=30)
    assert chat.returncode == 130
    assert errors.endswith(b"\nDihentikan.\n")
    assert b"Traceback" not in errors
