import sys

from pydantic import ValidationError

from src.interface.cli import exit_codes
from src.interface.cli.failures import wrong_settings


def _start() -> int:
    try:
        # The limits of the fields are settings, so a wrong setting shows at this import.
        from src.interface.cli.main import main  # noqa: PLC0415
    except ValidationError as error:
        sys.stderr.write(f"Gagal: {wrong_settings(error)}\n")
        return exit_codes.REFUSED
    return main()


if __name__ == "__main__":
    sys.exit(_start())
