import sys

from pydantic import ValidationError

from src.interface.cli import exit_codes


def _start() -> int:
    try:
        # The limits of the fields are settings, so a wrong setting shows at this import.
        from src.interface.cli.main import main  # noqa: PLC0415
    except ValidationError as error:
        faults = "\n".join(f"  {str(f['loc'][0]).upper()}: {f['msg']}" for f in error.errors())
        sys.stderr.write(f"Gagal: pengaturan salah.\n{faults}\n")
        return exit_codes.REFUSED
    return main()


if __name__ == "__main__":
    sys.exit(_start())
