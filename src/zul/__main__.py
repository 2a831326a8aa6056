"""`python -m zul`, for when the command's folder is not on PATH."""

import sys

from zul.interface.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
