import tarfile
import tomllib
import zipfile
from pathlib import Path

from tests.commands import ROOT, run_zul
from tests.release import LITTER, Built
from zul.domain.ignored import ANYWHERE, AT_ROOT
from zul.infrastructure.packaged_template import PackagedTemplate

PREFIX = "zul/templates/hexa/"


def template_files() -> set[str]:
    return set(PackagedTemplate().load("hexa").files.paths)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_b120_the_wheel_carries_every_template_file(wheel_names: set[str]) -> None:
    carried = {name.removeprefix(PREFIX) for name in wheel_names if name.startswith(PREFIX)}
    assert carried == template_files()


def test_b120_the_sdist_carries_every_template_file(built: Built) -> None:
    prefix = f"src/{PREFIX}"
    with tarfile.open(built.sdist) as archive:
        names = [member.name.partition("/")[2] for member in archive if member.isfile()]
    carried = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
    assert carried == template_files()


def test_b121_nothing_else_is_shipped(built: Built, wheel_names: set[str]) -> None:
    with tarfile.open(built.sdist) as archive:
        sdist_names = {member.name.partition("/")[2] for member in archive}
    for litter in LITTER:
        assert (built.checkout / litter).is_file()
        assert litter not in sdist_names
        assert litter.removeprefix("src/") not in wheel_names
    assert not [name for name in wheel_names if not name.startswith(("zul/", "zulkit-"))]


def test_b120_the_executable_bit_travels(built: Built) -> None:
    expected = {
        PREFIX + file.path
        for file in PackagedTemplate().load("hexa").files.changes
        if file.executable
    }
    with zipfile.ZipFile(built.wheel) as archive:
        shipped = {info.filename for info in archive.infolist() if info.external_attr >> 16 & 0o100}
    assert {name for name in shipped if name.startswith(PREFIX)} == expected


def test_b120_b121_the_installed_command_makes_the_checkouts_project(
    built: Built, tmp_path: Path
) -> None:
    compiled = list((built.installed / PREFIX).rglob("*.pyc"))
    assert compiled, "installing compiles the template, which is what must not be copied"
    places = {
        "installed": built.installed,
        "littered": built.checkout / "src",
        "here": ROOT / "src",
    }
    trees = []
    for place, source in places.items():
        folder = tmp_path / place
        folder.mkdir()
        env = {"PYTHONPATH": str(source)}
        done = run_zul("build", "hexa", "-n", "my-app", "-y", cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
        trees.append(tree(folder / "my-app"))
    assert trees[0] == trees[1] == trees[2]
    assert set(trees[0]) == template_files() | {".zul.toml"}


def test_the_three_lists_of_what_is_left_out_are_one() -> None:
    anywhere = set(ANYWHERE)
    at_root = {f"/src/zul/templates/*/{name}" for name in AT_ROOT}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert set(settings["tool"]["hatch"]["build"]["exclude"]) == anywhere | at_root
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    rules = {line for line in lines if line and not line.startswith("#")}
    only_here = {"/build", "/dist", "/htmlcov"}
    assert rules == anywhere | at_root | only_here


def test_the_wheel_says_what_it_is(built: Built, wheel_names: set[str]) -> None:
    info = next(name for name in wheel_names if name.endswith(".dist-info/METADATA"))
    with zipfile.ZipFile(built.wheel) as archive:
        metadata = archive.read(info).decode()
        scripts = archive.read(info.replace("METADATA", "entry_points.txt")).decode()
    assert "Name: zulkit\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata
    assert "License-Expression: MIT\n" in metadata
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    assert [line for line in required if "extra ==" not in line] == ["Requires-Dist: typer>=0.15"]
    assert "zul = zul.interface.cli.main:main" in scripts
    assert "zul/py.typed" in wheel_names
