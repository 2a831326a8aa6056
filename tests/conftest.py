import shutil
import signal
import sys
import zipfile
from collections.abc import Iterator

import pytest

from tests.commands import ROOT
from tests.release import LITTER, Built, run


@pytest.fixture(scope="session", autouse=True)
def _stop_signals_reach_the_programs_under_test() -> Iterator[None]:
    """Undo what a job in the background or under nohup inherits: ignored stop signals.

    A program started from here would inherit them too. A handler is reset at its start.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    for number, handler in before.items():
        if handler == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build from a littered checkout, the way a release is made, and install the wheel."""
    root = tmp_path_factory.mktemp("release")
    checkout = root / "checkout"
    shutil.copytree(
        ROOT,
        checkout,
        ignore=shutil.ignore_patterns(".git", ".venv", "build", ".*_cache", "__pycache__"),
    )
    for name in LITTER:
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"litter")
    python = sys.executable
    run(python, "-m", "build", "--no-isolation", "--outdir", str(root / "dist"), str(checkout))
    (wheel,) = (root / "dist").glob("*.whl")
    (sdist,) = (root / "dist").glob("*.tar.gz")
    installed = root / "installed"
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--compile")
    run(python, *pip, "--target", str(installed), str(wheel))
    return Built(checkout, wheel, sdist, installed)


@pytest.fixture(scope="session")
def wheel_names(built: Built) -> set[str]:
    with zipfile.ZipFile(built.wheel) as archive:
        return set(archive.namelist())
