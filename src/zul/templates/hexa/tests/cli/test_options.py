import pytest

from src.interface.cli import exit_codes
from src.interface.cli.options import Options, parse_options

AGENTS = ("chat", "hitl")


def _parse(*arguments: str) -> Options:
    return parse_options(arguments, AGENTS, "hitl")


def test_defaults() -> None:
    assert _parse() == Options(agent="hitl", thread_id=None, message=None, debug=False)


def test_everything() -> None:
    arguments = ("--agent", "chat", "--thread", "t 1", "--message", "halo", "--debug")
    assert _parse(*arguments) == Options(agent="chat", thread_id="t 1", message="halo", debug=True)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--agent", "x"), "'x' tidak dikenal. Pilihannya: chat, hitl."),
        (("--agent",), "butuh satu nilai"),
        (("--unknown",), "pilihan tidak dikenal: --unknown"),
        (("--thread", ""), "ID percakapan ditolak"),
        (("--thread", "a" * 201), "1 sampai 200 karakter yang terlihat"),
        (("--thread", "a\u202eb"), "karakter yang terlihat"),
        (("--message", ""), "pesan ditolak"),
        (("--message", "a\udcffb"), "unicode"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        _parse(*arguments)
    assert refused.value.code == exit_codes.USAGE
    assert reason in capsys.readouterr().err


def test_help_documents_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as shown:
        _parse("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert shown.value.code == exit_codes.OK
    codes = [v for name, v in vars(exit_codes).items() if name.isupper()]
    assert all(str(code) in text.partition("Kode keluar")[2] for code in codes)
