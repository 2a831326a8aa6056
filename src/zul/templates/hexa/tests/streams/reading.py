"""Read a stream of server-sent events as a client does."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Received:
    number: int
    type: str
    data: dict[str, Any]


def parse(lines: Iterable[str]) -> list[Received]:
    events: list[Received] = []
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name in {"id", "event", "data"}:
            fields[name] = value
        elif not line and fields:
            events.append(Received(int(fields["id"]), fields["event"], json.loads(fields["data"])))
            fields = {}
    return events


def types(events: Iterable[Received]) -> list[str]:
    return [event.type for event in events]


def only(events: Iterable[Received], kind: str) -> list[dict[str, Any]]:
    return [event.data for event in events if event.type == kind]
