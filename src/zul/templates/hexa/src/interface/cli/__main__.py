import sys

from src.interface.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
