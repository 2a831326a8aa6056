import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pydantic import TypeAdapter, ValidationError
from typing_extensions import override

from src.interface.cli import exit_codes
from src.interface.http.fields import MAX_THREAD_ID_LENGTH, Text, ThreadId

PROGRAM = "python -m src.interface.cli"

_TRANSLATIONS = (
    ("unrecognized arguments", "pilihan tidak dikenal"),
    ("expected one argument", "butuh satu nilai"),
    ("ignored explicit argument", "tidak menerima nilai"),
    ("argument ", "pilihan "),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line said; without ``message`` the chat goes on until its end."""

    agent: str
    thread_id: str | None
    message: str | None
    debug: bool


def parse_options(
    arguments: Sequence[str] | None, agents: Collection[str], default_agent: str
) -> Options:
    """Read the command line.

    Raises:
        SystemExit: help was asked for, or the command line was not understood.
    """
    found = _parser(agents, default_agent).parse_args(arguments)
    return Options(
        agent=found.agent, thread_id=found.thread, message=found.message, debug=found.debug
    )


def _parser(agents: Collection[str], default_agent: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Mengobrol dengan agen di terminal.",
        epilog="Kode keluar: 0 selesai, 1 ditolak atau gagal, 2 salah pakai, "
        "3 masih ada aksi yang menunggu persetujuan, 130 dihentikan dengan Ctrl-C.",
        add_help=False,
        allow_abbrev=False,
    )
    option = parser.add_argument_group("pilihan").add_argument
    option("-h", "--help", action="help", help="tampilkan bantuan ini")
    option(
        "--agent",
        type=_one_of(agents),
        default=default_agent,
        metavar="|".join(agents),
        help=f"agen yang diajak bicara (bawaan: {default_agent})",
    )
    option("--thread", type=_thread_id, metavar="ID", help="lanjutkan percakapan dengan ID ini")
    option("--message", type=_text, metavar="TEKS", help="kirim satu pesan, lalu selesai")
    option("--debug", action="store_true", help="tampilkan log lengkap di stderr")
    return parser


class _Parser(argparse.ArgumentParser):
    @override
    def error(self, message: str) -> NoReturn:
        for english, indonesian in _TRANSLATIONS:
            message = message.replace(english, indonesian)
        self.exit(exit_codes.USAGE, f"Salah pakai: {message}\nBantuan: {PROGRAM} --help\n")

    @override
    def format_help(self) -> str:
        return super().format_help().replace("usage: ", "Pakai: ", 1)


def _one_of(names: Collection[str]) -> Callable[[str], str]:
    def check(name: str) -> str:
        if name not in names:
            choices = ", ".join(names)
            raise argparse.ArgumentTypeError(f"'{name}' tidak dikenal. Pilihannya: {choices}.")
        return name

    return check


def _thread_id(text: str) -> str:
    try:
        return TypeAdapter[str](ThreadId).validate_python(text)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(
            f"ID percakapan ditolak: pakai 1 sampai {MAX_THREAD_ID_LENGTH} karakter yang terlihat"
        ) from error


def _text(text: str) -> str:
    try:
        return TypeAdapter[str](Text).validate_python(text)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise argparse.ArgumentTypeError(f"pesan ditolak: {reason}") from error
