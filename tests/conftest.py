import shutil
import sys
import zipfile

import pytest

from tests.commands import ROOT
from tests.release import LITTER, Built, run


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
