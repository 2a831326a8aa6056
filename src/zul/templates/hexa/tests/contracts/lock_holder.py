"""Another process that holds a conversation until it is killed or its input ends."""

import sys

from src.infrastructure.database.stores import get_stores

if __name__ == "__main__":
    scope, thread_id = sys.argv[1:]
    with get_stores(scope).lock.hold(thread_id):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        sys.stdin.read()
