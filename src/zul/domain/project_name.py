import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from zul.domain.errors import EmptyNameError, InvalidNameError
from zul.domain.reserved_names import DEVICES, KEYWORDS, RESERVED, STDLIB, normalise

MAX_LENGTH = 64

NAME_RULE = (
    "Aturan nama: hanya huruf ASCII, angka, '-', '_' dan '.'; diawali huruf; "
    f"diakhiri huruf atau angka; paling panjang {MAX_LENGTH} karakter; "
    "bukan nama perangkat Windows, kata kunci atau modul standar Python, "
    "dan bukan nama paket yang dipasang proyek. Contoh: --name my-hexa-project"
)

_FOREIGN = re.compile(r"[^A-Za-z0-9._-]")
_SHOWN_LENGTH = 40


@dataclass(frozen=True, slots=True)
class ProjectName:
    """A name that works as folder, distribution and Python project on every system.

    The same names are refused everywhere, so a project made on one machine opens on any other.
    """

    value: str

    @classmethod
    def parse(cls, raw: str, taken: AbstractSet[str] = frozenset()) -> "ProjectName":
        """Return the name unchanged, or raise `InvalidNameError` with the rule.

        `taken` holds the normalised names of everything the project itself installs: a project
        of the same name would stand in its own dependency's way.
        """
        if not raw.strip():
            raise EmptyNameError("Nama proyek tidak boleh kosong!", NAME_RULE)
        fault = _shape_fault(raw) or _reserved_fault(raw, taken)
        if fault:
            raise InvalidNameError(
                f"Nama proyek {_shown(raw)} tidak bisa dipakai: {fault}.", NAME_RULE
            )
        return cls(raw)

    def __str__(self) -> str:
        return self.value


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
