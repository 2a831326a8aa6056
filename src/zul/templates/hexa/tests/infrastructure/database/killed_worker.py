"""Another process that claims an action, accepts a review and is then killed."""

import os
import signal

from src.infrastructure.database.stores import get_stores
from tests.contracts.examples import a_review, an_action

if __name__ == "__main__":
    stores = get_stores("chat")
    with stores.lock.hold("t1"):
        stores.reviews.accept(a_review())
        stores.ledger.claim(an_action())
        os.kill(os.getpid(), signal.SIGKILL)
