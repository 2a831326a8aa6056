"""Creates or upgrades the tables: ``python -m src.infrastructure.database.migrate``.

The service does the same at its first use of the database. This command is for accounts: run it
with one that may create tables, and let the service use one that may only read and write them.
"""

import sys

from src.application.errors import StoreError
from src.infrastructure.database.connections import close_database, get_database
from src.infrastructure.database.schema import newest_version


def main() -> int:
    """Run the command and return its exit code."""
    try:
        database = get_database()
    except StoreError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        close_database()
    if database is None:
        sys.stderr.write("DATABASE_URL is not set; there is nothing to migrate.\n")
        return 1
    sys.stdout.write(f"The schema is at version {newest_version()}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
