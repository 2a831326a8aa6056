import hashlib
import re
from dataclasses import dataclass
from itertools import pairwise

from zul.domain.errors import UnsafePathError

# A drive, a stream or a backslash path on Windows, a terminator everywhere.
_UNSAFE_CHARACTERS = re.compile(r"[\\:\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file to write: its place below the project, its exact bytes, its executable bit."""

    path: str
    content: bytes
    executable: bool = False

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if _UNSAFE_CHARACTERS.search(self.path) or not {"", ".", ".."}.isdisjoint(parts):
            raise UnsafePathError(f"Berkas template {self.path!r} keluar dari folder proyek.")


@dataclass(frozen=True, slots=True)
class FilePlan:
    """Everything a project will contain, decided before the first byte is written."""

    changes: tuple[FileChange, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", tuple(sorted(self.changes, key=lambda c: c.path)))
        # Compared without case: macOS and Windows would write the second file over the first.
        paths = sorted(change.path.lower().split("/") for change in self.changes)
        for first, second in pairwise(paths):
            if second[: len(first)] == first:
                raise UnsafePathError(f"Berkas template {'/'.join(second)!r} bertabrakan.")

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(change.path for change in self.changes)

    @property
    def digest(self) -> str:
        """Identify the content: equal for equal trees, on every system."""
        total = hashlib.sha256()
        for change in self.changes:
            inner = hashlib.sha256(change.content).hexdigest()
            total.update(f"{change.path}\0{int(change.executable)}\0{inner}\n".encode())
        return total.hexdigest()
