import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.workspace_contract import NAME, PLAN
from zul.domain.errors import TargetExistsError, WorkspaceError
from zul.domain.plan import FileChange, FilePlan
from zul.infrastructure.local_workspace import LocalWorkspace

OCCUPANTS: dict[str, Callable[[Path], object]] = {
    "an empty folder": Path.mkdir,
    "a file": lambda path: path.write_bytes(b"mine"),
    "a link to a folder": lambda path: path.symlink_to(path.parent),
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a named pipe": os.mkfifo,
}


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("occupant", OCCUPANTS)
def test_b118_whatever_has_the_name_is_refused_and_left_alone(
    tmp_path: Path, occupant: str
) -> None:
    OCCUPANTS[occupant](tmp_path / "my-app")
    before = (tmp_path / "my-app").lstat()
    with pytest.raises(TargetExistsError):
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    after = (tmp_path / "my-app").lstat()
    assert (before.st_ino, before.st_mode, before.st_size, before.st_mtime_ns) == (
        after.st_ino,
        after.st_mode,
        after.st_size,
        after.st_mtime_ns,
    )
    assert names(tmp_path) == ["my-app"]


class Saboteur:
    """Acts when the workspace opens the n-th file, as another process might."""

    def __init__(self, act: Callable[[], object], at_file: int = 3) -> None:
        self.act = act
        self.left = at_file
        self.open = os.open

    def __call__(self, *args: Any, **options: Any) -> int:
        self.left -= 1
        if not self.left:
            self.act()
        return self.open(*args, **options)


@pytest.fixture
def sabotage(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    return lambda act: monkeypatch.setattr(os, "open", Saboteur(act))


def fail(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


@pytest.mark.parametrize("occupant", OCCUPANTS)
def test_a_target_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, occupant: str, sabotage: Callable[[Callable[[], object]], None]
) -> None:
    sabotage(lambda: OCCUPANTS[occupant](tmp_path / "my-app"))
    with pytest.raises(TargetExistsError):
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    assert names(tmp_path) == ["my-app"]
    assert not (tmp_path / "my-app" / "a.txt").exists()


def test_a_file_put_into_the_claimed_name_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def crowded_rename(draft: Path, target: Path) -> Path:
        (target / "theirs").write_bytes(b"theirs")
        return rename(draft, target)

    monkeypatch.setattr(Path, "rename", crowded_rename)
    with pytest.raises(TargetExistsError):
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    assert names(tmp_path) == ["my-app"]
    assert names(tmp_path / "my-app") == ["theirs"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), MemoryError()])
def test_a_failure_half_way_leaves_no_trace(
    tmp_path: Path, error: BaseException, sabotage: Callable[[Callable[[], object]], None]
) -> None:
    sabotage(fail(error))
    with pytest.raises(type(error)):
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    assert names(tmp_path) == []


def test_a_full_disk_is_a_refusal_without_a_trace(
    tmp_path: Path, sabotage: Callable[[Callable[[], object]], None]
) -> None:
    sabotage(fail(OSError(28, "No space left on device")))
    with pytest.raises(WorkspaceError, match="No space left") as refusal:
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    assert refusal.value.hint.startswith("Tidak ada yang tertinggal.")
    assert names(tmp_path) == []


def test_an_interrupt_at_the_last_step_gives_the_name_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "rename", lambda *_: fail(KeyboardInterrupt())())
    with pytest.raises(KeyboardInterrupt):
        LocalWorkspace(tmp_path).create(NAME, PLAN)
    assert names(tmp_path) == []


@pytest.mark.parametrize("place", ["missing", "file"])
def test_a_workspace_that_is_no_folder_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WorkspaceError, match=place):
        LocalWorkspace(tmp_path / place).create(NAME, PLAN)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("mask", "plain", "executable"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)]
)
def test_modes_follow_the_umask(tmp_path: Path, mask: int, plain: int, executable: int) -> None:
    plan = FilePlan((FileChange("a", b""), FileChange("d/run", b"", executable=True)))
    with umask(mask):
        LocalWorkspace(tmp_path).create(NAME, plan)
    root = tmp_path / "my-app"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [root, *root.rglob("*")]}
    assert modes == {"my-app": executable, "a": plain, "d": executable, "run": executable}


def test_b123_b130_line_ends_are_written_as_planned(tmp_path: Path) -> None:
    LocalWorkspace(tmp_path).create(NAME, FilePlan((FileChange("a", b"1\n2\r\n3"),)))
    assert (tmp_path / "my-app" / "a").read_bytes() == b"1\n2\r\n3"
