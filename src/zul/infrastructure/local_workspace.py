import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zul.application.ports.workspace import Workspace
from zul.domain.errors import TargetExistsError, WorkspaceError
from zul.domain.plan import FileChange, FilePlan
from zul.domain.project_name import ProjectName

# Without it Windows would turn every line feed into two bytes.
_BINARY: int = getattr(os, "O_BINARY", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY

# What the two steps of `_move` meet when somebody else takes the name at the same moment.
_NAME_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}


class LocalWorkspace(Workspace):
    """A folder on this machine.

    A project grows in a hidden sibling of its place, on the same file system, and gets its name
    by one rename when it is complete.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, name: ProjectName) -> None:
        if not self._folder.is_dir():
            raise WorkspaceError(
                f"Folder tujuan '{self._folder}' tidak ada.",
                "Buat foldernya lebih dulu, atau pilih yang lain dengan --directory.",
            )
        if os.path.lexists(self._folder / name.value):
            raise TargetExistsError(name.value)

    def create(self, name: ProjectName, plan: FilePlan) -> None:
        self.check(name)
        draft = self._folder / f".{name}.{os.urandom(4).hex()}.tmp"
        with _translated(name), _removed_unless_moved(draft):
            draft.mkdir()
            _write(draft, plan)
            _move(draft, self._folder / name.value)


def _write(root: Path, plan: FilePlan) -> None:
    # Few and plain calls for each of hundreds of small files: they are most of the command's time.
    for folder in sorted({path.rpartition("/")[0] for path in plan.paths}):
        os.makedirs(f"{root}/{folder}", exist_ok=True)  # noqa: PTH103 - as above
    for change in plan.changes:
        _write_file(f"{root}/{change.path}", change)


def _write_file(place: str, change: FileChange) -> None:
    # Created with its final mode, so the user's umask decides like for any other file.
    descriptor = os.open(place, _NEW_FILE, 0o777 if change.executable else 0o666)
    try:
        rest = memoryview(change.content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _move(draft: Path, target: Path) -> None:
    """Give the finished project its name; raises `FileExistsError` rather than replace anything."""
    if os.name == "nt":  # pragma: no cover (renaming never replaces a folder there)
        draft.rename(target)
        return
    # POSIX renames over an empty folder silently. Making that folder here, which fails when the
    # name is taken, leaves only our own for the rename to replace.
    target.mkdir()
    try:
        draft.rename(target)
    except BaseException:
        with suppress(OSError):
            target.rmdir()
        raise


@contextmanager
def _removed_unless_moved(draft: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


@contextmanager
def _translated(name: ProjectName) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NAME_TAKEN:
            raise TargetExistsError(name.value) from error
        raise WorkspaceError(
            f"Proyek '{name}' gagal dibuat: {error.strerror or error}.",
            "Tidak ada yang tertinggal. Periksa izin dan ruang disk folder tujuan, lalu ulangi.",
        ) from error
