"""Erases what nobody uses any more: ``python -m src.interface.cli.prune --idle-days N``."""

import argparse
import sys
from collections.abc import Sequence

from pydantic import ValidationError

from src.application.errors import StoreError
from src.infrastructure.database.connections import close_database, get_database
from src.infrastructure.database.pruning import Pruned, prune
from src.interface.cli import exit_codes
from src.interface.cli.failures import keep_log_quiet, reason_of, wrong_settings
from src.interface.cli.parser import IndonesianParser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = _parser().parse_args(arguments)
    try:
        database = get_database(limited=False)
        if database is None:
            return _refuse("DATABASE_URL belum diisi; tidak ada yang bisa dihapus.")
        pruned = prune(database, given.idle_days, dry_run=given.dry_run)
    except ValidationError as error:
        return _refuse(wrong_settings(error))
    except StoreError as error:
        return _refuse(reason_of(error))
    finally:
        close_database()
    sys.stdout.write(f"{'Akan dihapus' if given.dry_run else 'Dihapus'}: {_in_words(pruned)}.\n")
    return exit_codes.OK


def _parser() -> IndonesianParser:
    parser = IndonesianParser(
        prog="python -m src.interface.cli.prune",
        description="Menghapus percakapan yang lama tidak dipakai. Yang masih punya aksi menunggu "
        "persetujuan, keputusan yang belum dijalankan, atau aksi yang sedang berjalan tetap "
        "disimpan. Boleh dijalankan selagi layanan berjalan.",
        epilog="Kode keluar: 0 selesai, 1 ditolak atau gagal, 2 salah pakai.",
    )
    option = parser.options.add_argument
    option(
        "--idle-days",
        type=_days,
        required=True,
        metavar="HARI",
        help="hapus yang tidak dipakai lebih lama dari ini",
    )
    option("--dry-run", action="store_true", help="hanya hitung, jangan hapus")
    return parser


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        message = f"'{text}' bukan bilangan bulat di atas nol"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _in_words(pruned: Pruned) -> str:
    return (
        f"{pruned.conversations} percakapan, {pruned.answers} jawaban yang disimpan, "
        f"{pruned.runs} rekaman giliran"
    )


def _refuse(reason: str) -> int:
    sys.stderr.write(f"Gagal: {reason}\n")
    return exit_codes.REFUSED


if __name__ == "__main__":
    keep_log_quiet()
    sys.exit(main())
