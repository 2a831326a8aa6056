"""What ``GET …/threads/{thread_id}`` must show."""

import itertools
from typing import Any

View = dict[str, Any]


def assert_well_formed(view: View) -> None:
    """Nothing waits, and each call is followed at once by its one result, in order."""
    assert view["pending_review"] is None
    assert view["review_id"] is None
    assert not view["unfinished"]
    lines = view["messages"]
    position = 0
    while position < len(lines):
        line = lines[position]
        assert line["role"] != "tool", f"a result without a call: {line}"
        asked = [call["id"] for call in line["tool_calls"]]
        answers = lines[position + 1 : position + 1 + len(asked)]
        assert [answer["tool_call_id"] for answer in answers] == asked, lines
        assert asked or line["text"], f"an empty message: {line}"
        position += 1 + len(asked)
    roles = [line["role"] for line in lines]
    assert ("user", "user") not in set(itertools.pairwise(roles)), lines
    assert roles[-1] == "assistant"


def results_of(view: View) -> list[View]:
    return [line for line in view["messages"] if line["role"] == "tool"]
