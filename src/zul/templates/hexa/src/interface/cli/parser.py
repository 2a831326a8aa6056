import argparse
from typing import NoReturn

from typing_extensions import override

from src.interface.cli import exit_codes

_TRANSLATIONS = (
    ("the following arguments are required", "pilihan ini wajib ada"),
    ("unrecognized arguments", "pilihan tidak dikenal"),
    ("expected one argument", "butuh satu nilai"),
    ("ignored explicit argument", "tidak menerima nilai"),
    ("argument ", "pilihan "),
)


class IndonesianParser(argparse.ArgumentParser):
    """A parser whose help and complaints are Indonesian; options are written in full.

    Attributes:
        options: the group that the options belong to, as its help shows it.
    """

    def __init__(self, *, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog, description=description, epilog=epilog, add_help=False, allow_abbrev=False
        )
        self.options = self.add_argument_group("pilihan")
        self.options.add_argument("-h", "--help", action="help", help="tampilkan bantuan ini")

    @override
    def error(self, message: str) -> NoReturn:
        for english, indonesian in _TRANSLATIONS:
            message = message.replace(english, indonesian)
        self.exit(exit_codes.USAGE, f"Salah pakai: {message}\nBantuan: {self.prog} --help\n")

    @override
    def format_help(self) -> str:
        return super().format_help().replace("usage: ", "Pakai: ", 1)
