"""The process dies by SIGKILL at a random instant between a decision and the final answer.

It rises again, the person presses the same button once more, and the conversation goes on.
``CRASH_KILLS=300`` makes the long run of it, ``CRASH_SEED`` other instants.
"""

import logging
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from tests.guarantees.crash_scenarios import SCENARIOS, Findings, Turn
from tests.guarantees.planned_model import GREETING
from tests.guarantees.servers import Phoenix, mortal

logger = logging.getLogger(__name__)

KILLS = int(os.environ.get("CRASH_KILLS", "20"))
SEED = int(os.environ.get("CRASH_SEED", "1"))

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL"),
    pytest.mark.timeout(300 + 20 * KILLS),
]


@pytest.fixture(params=["sqlite", "postgres"])
def phoenix(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Phoenix]:
    url = f"sqlite:///{tmp_path / 'app.db'}"
    if request.param == "postgres":
        url = str(request.getfixturevalue("postgres_url"))
    with mortal(url, tmp_path) as phoenix:
        yield phoenix


@pytest.fixture
def person(phoenix: Phoenix) -> Iterator["Person"]:
    limits = httpx.Limits(max_keepalive_connections=0)
    with (
        httpx.Client(base_url=phoenix.url, timeout=300, limits=limits, trust_env=False) as client,
        ThreadPoolExecutor(1) as beside,
    ):
        dice = random.Random(SEED)  # noqa: S311 - repeatable on purpose
        yield Person(client, phoenix, beside, dice)


class Person:
    """Talks to a service that dies while it works."""

    def __init__(
        self,
        client: httpx.Client,
        phoenix: Phoenix,
        beside: ThreadPoolExecutor,
        chance: random.Random,
    ) -> None:
        self._client = client
        self._phoenix = phoenix
        self._beside = beside
        self._chance = chance
        self.kills = 0
        self.answers: Counter[str] = Counter()

    def seconds_of(self, turn: Turn, thread_id: str) -> float:
        """Measure the request that will be killed next time."""
        request = self._ask_until_the_decision(turn, thread_id)
        start = time.perf_counter()
        assert self._post(turn, *request).status_code == 200
        return time.perf_counter() - start

    def talk(self, turn: Turn, thread_id: str, span: float) -> dict[str, Any]:
        """Let the service die in the decisive request, and talk on; return the conversation."""
        request = self._ask_until_the_decision(turn, thread_id)
        self._post_to_the_dying(turn, *request, span=span)
        if self._chance.random() < 0.2:
            self._post_to_the_dying(turn, *request, span=span)
        if self._chance.random() < 0.3:
            # Something else first: the accepted decision is carried out before it.
            self._note("message first", self._say(turn, thread_id, "Are you there?"))
        self._note("again", self._post(turn, *request))
        self._decide_what_is_left(turn, thread_id)
        hello = self._say(turn, thread_id, "Hello?")
        assert hello.status_code == 200, hello.text
        assert hello.json()["answer"] == GREETING
        return self._view(turn, thread_id)

    def _ask_until_the_decision(self, turn: Turn, thread_id: str) -> tuple[str, dict[str, Any]]:
        """Return the path and body of the request to which the final answer belongs."""
        asking = "/chat", {"thread_id": thread_id, "message": turn.message}
        if not turn.reviews:
            return asking
        asked = self._post(turn, *asking)
        assert asked.status_code == 200, asked.text
        return _review(thread_id, asked.json()["review_id"], turn.reviews[0])

    def _post_to_the_dying(self, turn: Turn, path: str, body: Any, *, span: float) -> None:
        answer: Future[httpx.Response] = self._beside.submit(self._post, turn, path, body)
        time.sleep(self._chance.uniform(0, span))
        self._phoenix.kill()
        self._phoenix.rise()
        self.kills += 1
        try:
            self._note("in time", answer.result())
        except httpx.TransportError:
            self.answers["died"] += 1

    def _decide_what_is_left(self, turn: Turn, thread_id: str) -> None:
        for decisions in turn.reviews[1:]:
            review_id = self._view(turn, thread_id)["review_id"]
            if review_id is not None:
                decided = self._post(turn, *_review(thread_id, review_id, decisions))
                assert decided.status_code == 200, decided.text

    def _note(self, occasion: str, answer: httpx.Response) -> None:
        assert answer.status_code in {200, 400}, answer.text
        self.answers[f"{occasion} {answer.status_code}"] += 1

    def _say(self, turn: Turn, thread_id: str, message: str) -> httpx.Response:
        return self._post(turn, "/chat", {"thread_id": thread_id, "message": message})

    def _post(self, turn: Turn, path: str, body: Any) -> httpx.Response:
        path = turn.agent if (turn.agent, path) == ("/chat", "/chat") else turn.agent + path
        return self._client.post(path, json=body)

    def _view(self, turn: Turn, thread_id: str) -> dict[str, Any]:
        shown = self._client.get(f"{turn.agent}/threads/{thread_id}")
        assert shown.status_code == 200, shown.text
        view: dict[str, Any] = shown.json()
        return view


def _review(
    thread_id: str, review_id: str, decisions: Sequence[dict[str, Any]]
) -> tuple[str, dict[str, Any]]:
    body = {"thread_id": thread_id, "review_id": review_id, "decisions": list(decisions)}
    return "/review", body


def test_no_kill_repeats_loses_or_hides_an_action(person: Person, phoenix: Phoenix) -> None:
    spans = {
        name: median(person.seconds_of(make(f"w{n}"), f"warm-{name}-{n}") for n in range(3))
        for name, make in SCENARIOS.items()
    }
    findings, number = Findings(), 0
    names = list(SCENARIOS)
    while person.kills < KILLS:
        name = names[number % len(names)]
        turn = SCENARIOS[name](f"k{number}")
        view = person.talk(turn, f"kill-{number}", spans[name] * 1.1)
        findings.inspect(turn, view, phoenix.journal)
        number += 1

    logger.info("%d kills in %d turns: %s", person.kills, number, findings)
    logger.info("answers: %s; spans: %s", dict(person.answers), spans)
    findings.assert_none_is_wrong()
    assert person.answers["died"] > 0
