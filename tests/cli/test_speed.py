import subprocess
import sys
import time
from pathlib import Path

from tests.commands import ZUL, environ

ROUNDS = 7


def fastest(folder: Path, *commands: list[str]) -> list[float]:
    """Return each command's best time; taken in turns, so that a busy moment hits them all."""
    env = {name: value for name, value in environ().items() if not name.startswith("COV")}
    best = [float("inf")] * len(commands)
    for _ in range(ROUNDS):
        for index, command in enumerate(commands):
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True)
            best[index] = min(best[index], time.perf_counter() - start)
    return best


# Running any command costs typer more than importing it: it loads pydantic to read parameters.
EMPTY_COMMAND = "import typer; typer.run(lambda: None)"


def test_help_and_build_add_little_to_what_typer_takes(tmp_path: Path) -> None:
    importing = [sys.executable, "-c", "import typer"]
    running = [sys.executable, "-c", EMPTY_COMMAND]
    plan = [*ZUL, "build", "hexa", "-n", "my-app", "--dry-run"]
    imported, ran, helped, planned = fastest(tmp_path, importing, running, [*ZUL, "--help"], plan)
    assert helped < 1.5 * imported
    assert planned < 1.5 * ran
