"""What a long conversation costs: time of a turn, bytes, and reading it back."""

from __future__ import annotations

import statistics
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from benchmarks import postgres
from benchmarks.figures import Figure
from benchmarks.settings import STOCK_SAVERS
from benchmarks.subject import Subject, started

if TYPE_CHECKING:
    from benchmarks.settings import Run

ANSWER = " ".join(["echo", "hotel", "india", "juliett", "oscar", "papa", "quebec"] * 10)
"""About 400 bytes, like the messages of the user."""


def measure(run: Run) -> list[Figure]:
    """Let a conversation grow on each store, beside the same one on stock LangGraph."""
    with ExitStack() as stack:
        path = run.folder / "growth"
        urls = {"SQLite": (f"sqlite:///{path}.db", f"sqlite:///{path}-window.db",
                           f"sqlite:///{path}-stock.db")}  # fmt: skip
        if postgres.programs() is not None:
            address = stack.enter_context(postgres.server())
            urls["PostgreSQL"] = tuple(  # type: ignore[assignment]
                postgres.new_database(address) for _ in range(3)
            )
        return [figure for store, three in urls.items() for figure in _on(run, store, *three)]


def _on(run: Run, store: str, own_url: str, window_url: str, stock_url: str) -> list[Figure]:
    turns = run.pick(120, 1_000)
    own = _grow(run, "own", own_url, turns)
    window = _grow(run, "own", window_url, turns, HISTORY_MAX_MESSAGES="40")
    thread = f"{turns:,} turns on {store}"
    figures = [
        _last_turn(f"last turn of {thread}", own, bar=5.0),
        _last_turn(f"last turn of {thread}, 40 messages of history", window, bar=1.5),
        *_bytes(thread, own, whole_bar=8.0, half_bar=1.3),
        _figure(f"reading back {thread}, a message", "at half the length",
                own["read_ms"][1] / own["read_ms"][0] / 2, 1.3, read_ms=own["read_ms"]),
    ]  # fmt: skip
    if run.has(*STOCK_SAVERS[store]):
        stock = _grow(run, "stock", stock_url, run.pick(60, 250))
        thread = f"{stock['turns']} turns on {store}, stock"
        figures += [_last_turn(f"last turn of {thread}", stock, bar=None), *_bytes(thread, stock)]
    return figures


def _bytes(
    thread: str,
    grown: dict[str, Any],
    whole_bar: float | None = None,
    half_bar: float | None = None,
) -> list[Figure]:
    stored, texts = grown["bytes"], grown["texts"]
    return [
        _figure(f"bytes of {thread}", "bytes of its texts", stored[2] / texts, whole_bar,
                stored=stored[2], texts=texts),
        _figure(f"bytes of the second half of {thread}", "bytes of the first half",
                _second_half(grown), half_bar, stored=stored),
    ]  # fmt: skip


def _grow(run: Run, kind: str, url: str, turns: int, **settings: str) -> dict[str, Any]:
    environment = {"DATABASE_URL": url, "BENCH_ANSWER": ANSWER, **settings}
    module = "benchmarks.subjects.growth"
    with started(run, module, kind, environment=environment) as subject:
        cpu_ms: list[float] = []
        wall_ms: list[float] = []
        sizes, reads = [subject.ask("size")], []
        for part in (turns // 2, turns - turns // 2):
            taken = subject.ask("turns", count=part)
            cpu_ms += taken["cpu_ms"]
            wall_ms += taken["wall_ms"]
            sizes.append(subject.ask("size"))
            reads.append(_read(subject))
    return {
        "turns": turns,
        "cpu_ms": cpu_ms,
        "wall_ms": wall_ms,
        "bytes": [size["stored"] for size in sizes],
        "texts": sizes[-1]["texts"],
        "read_ms": reads,
    }


def _read(subject: Subject) -> float:
    return float(statistics.median(subject.ask("read", times=7)["cpu_ms"]))


def _second_half(grown: dict[str, Any]) -> float:
    empty, half, whole = grown["bytes"]
    return float(whole - half) / float(half - empty)


def _last_turn(name: str, grown: dict[str, Any], bar: float | None) -> Figure:
    tenth, last = slice(5, 15), slice(-10, None)
    cpu = [statistics.median(grown["cpu_ms"][part]) for part in (tenth, last)]
    wall = [statistics.median(grown["wall_ms"][part]) for part in (tenth, last)]
    return Figure(
        name=name,
        baseline="its tenth, CPU",
        value=cpu[1] / cpu[0],
        bar=bar,
        kind="shown" if bar is None else "at most",
        detail={
            "cpu_ms": cpu,
            "wall_ms": wall,
            "every_tenth_cpu_ms": [
                round(statistics.median(grown["cpu_ms"][i : i + 10]), 2)
                for i in range(0, grown["turns"], 10)
            ],
        },
    )


def _figure(name: str, baseline: str, value: float, bar: float | None, **detail: Any) -> Figure:
    return Figure(
        name=name,
        baseline=baseline,
        value=value,
        bar=bar,
        kind="shown" if bar is None else "at most",
        detail=detail,
    )
