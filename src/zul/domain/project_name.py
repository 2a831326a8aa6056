import re
import unicodedata
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from zul.domain.errors import EmptyNameError, InvalidNameError
from zul.domain.reserved_names import DEVICES, KEYWORDS, RESERVED, STDLIB, normalise

MAX_LENGTH = 64

DEFAULT_NAME = "my-hexa-project"

NAME_RULE = (
    "Aturan: huruf ASCII, angka, '-', '_', '.'; diawali huruf, diakhiri huruf atau angka; "
    f"maksimal {MAX_LENGTH} karakter; bukan nama milik Python, Windows, atau paket proyek."
)

_FOREIGN = re.compile(r"[^A-Za-z0-9._-]")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_SUFFIX = "-app"
_SHOWN_LENGTH = 40


@dataclass(frozen=True, slots=True)
class ProjectName:
    """A name that works as folder, distribution and Python project on every system.

    The same names are refused everywhere, so a project made on one machine opens on any other.
    """

    value: str

    @classmethod
    def parse(cls, raw: str, taken: AbstractSet[str] = frozenset()) -> "ProjectName":
        """Return the name unchanged, or raise `InvalidNameError` with the rule and a name like it.

        `taken` holds the normalised names of everything the project itself installs: a project
        of the same name would stand in its own dependency's way.
        """
        if not raw.strip():
            raise EmptyNameError("Nama proyek tidak boleh kosong!", _way_out(raw, taken))
        fault = _shape_fault(raw) or _reserved_fault(raw, taken)
        if fault:
            raise InvalidNameError(
                f"Nama proyek {_shown(raw)} tidak bisa dipakai: {fault}.", _way_out(raw, taken)
            )
        return cls(raw)

    def __str__(self) -> str:
        return self.value


def suggested_name(raw: str, taken: AbstractSet[str] = frozenset()) -> str:
    """Return an allowed name close to `raw`, which is `raw` itself where that is allowed."""
    ascii_only = unicodedata.normalize("NFKD", raw).encode("ascii", "ignore").decode()
    words = _SEPARATORS.sub("-", ascii_only.lower()).lstrip("-0123456789")
    plain = words[: MAX_LENGTH - len(_SUFFIX)].rstrip("-")
    # What is reserved is reserved as a whole, so a suffix makes it free.
    candidates = (raw, plain, plain + _SUFFIX)
    return next((name for name in candidates if _is_allowed(name, taken)), DEFAULT_NAME)


def _is_allowed(name: str, taken: AbstractSet[str]) -> bool:
    return bool(name) and not (_shape_fault(name) or _reserved_fault(name, taken))


def _way_out(raw: str, taken: AbstractSet[str]) -> str:
    return f"{NAME_RULE}\nMisalnya: --name {suggested_name(raw, taken)}"


def _shape_fault(raw: str) -> str | None:
    foreign = _FOREIGN.search(raw)
    if foreign:
        return f"karakter {foreign.group()!r} tidak diizinkan"
    if not raw[0].isalpha():
        return "nama harus diawali huruf"
    if not raw[-1].isalnum():
        return "nama harus diakhiri huruf atau angka"
    if len(raw) > MAX_LENGTH:
        return f"panjangnya {len(raw)} karakter, batasnya {MAX_LENGTH}"
    return None


def _reserved_fault(raw: str, taken: AbstractSet[str]) -> str | None:
    name = normalise(raw)
    if raw.lower().partition(".")[0] in DEVICES:
        return "itu nama perangkat Windows"
    reasons = (
        (KEYWORDS, "itu kata kunci Python"),
        (STDLIB, "itu modul standar Python"),
        (RESERVED, "nama itu sudah punya arti bagi proyek atau alatnya"),
        (taken, "itu nama paket yang dipasang proyek"),
    )
    return next((reason for names, reason in reasons if name in names), None)


def _shown(raw: str) -> str:
    # repr() keeps control characters from acting on the terminal.
    return repr(raw if len(raw) <= _SHOWN_LENGTH else f"{raw[:_SHOWN_LENGTH]}…")
