from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What the command line said; `name` is None when it has to be asked for."""

    name: str | None
    yes: bool
    dry_run: bool
    folder: Path

    @property
    def missing(self) -> str:
        """The options that would have made every question unnecessary."""
        options = (("--name NAMA", self.name is None), ("--yes", not (self.yes or self.dry_run)))
        return " dan ".join(option for option, is_missing in options if is_missing)
