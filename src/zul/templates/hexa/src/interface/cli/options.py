import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from src.interface.cli.parser import IndonesianParser
from src.interface.http.fields import MAX_THREAD_ID_LENGTH, Text, ThreadId

PROGRAM = "python -m src.interface.cli"


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
    parser = IndonesianParser(
        prog=PROGRAM,
        description="Mengobrol dengan agen di terminal.",
        epilog="Kode keluar: 0 selesai, 1 ditolak atau gagal, 2 salah pakai, "
        "3 masih ada aksi yang menunggu persetujuan, 130 dihentikan dengan Ctrl-C.",
    )
    option = parser.options.add_argument
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
