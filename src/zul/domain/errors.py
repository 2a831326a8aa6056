"""The one error family of zul.

ZulError
├── InvalidNameError      the name cannot be a project everywhere
│   └── EmptyNameError
├── MissingAnswersError   there is nobody to ask
├── TargetExistsError     something already has the project's name
├── WorkspaceError        the file system refused
└── TemplateError         the template inside the package is damaged
    └── UnsafePathError   a planned file would leave the project
"""


class ZulError(Exception):
    """A refusal: what is wrong, and the way out.

    Raising one promises that nothing was left on disk.
    """

    def __init__(self, cause: str, hint: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint


class InvalidNameError(ZulError):
    """The name would not work as a folder, a distribution and a Python project on every system."""


class EmptyNameError(InvalidNameError):
    """The name is empty or blank."""


class MissingAnswersError(ZulError):
    """An answer is needed and no terminal (or piped input) gives it."""


class TargetExistsError(ZulError):
    """A file, folder or link of any kind already has the project's name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            cause=f"Direktori '{name}' sudah ada!",
            hint="Tidak ada yang diubah. Pilih nama lain dengan --name, "
            "atau pindahkan yang lama lebih dulu.",
        )


class WorkspaceError(ZulError):
    """The file system refused, such as a full disk or a missing permission."""


class TemplateError(ZulError):
    """The packaged template contradicts its manifest."""

    def __init__(self, cause: str) -> None:
        super().__init__(
            cause=cause,
            hint="Instalasi zul rusak. Pasang ulang: pip install --force-reinstall zulkit",
        )


class UnsafePathError(TemplateError):
    """A path that is absolute, leaves the project or clashes with another one."""
