"""A figure is a ratio against a named baseline of the same run, with its bar."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GROSS_MARGIN = 2.5
"""How many times a bar a figure of the fast mode may miss before it counts as a regression."""

Kind = Literal["at most", "at least", "shown"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was measured.

    Attributes:
        name: what was measured.
        baseline: what it was measured against.
        value: the ratio; the median where it was taken several times.
        bar: what the ratio should keep to; ``None`` for a figure that is only shown.
        kind: on which side of the bar the ratio should be.
        samples: the single ratios.
        detail: absolute values behind the ratio, with their units in the names.
        gross: the ratio is steady enough for the fast mode to fail on it.
    """

    name: str
    baseline: str
    value: float
    bar: float | None = None
    kind: Kind = "at most"
    samples: Sequence[float] = ()
    detail: dict[str, object] = field(default_factory=dict)
    gross: bool = True

    @property
    def within_bar(self) -> bool:
        """Tell whether the figure keeps to its bar."""
        return self._within(1.0)

    @property
    def is_gross(self) -> bool:
        """Tell whether the figure misses its bar by more than the wide margin."""
        return self.gross and not self._within(GROSS_MARGIN)

    def _within(self, margin: float) -> bool:
        if self.bar is None or self.kind == "shown":
            return True
        if self.kind == "at most":
            return self.value <= self.bar * margin
        return self.value >= self.bar / margin


def ratio(
    name: str,
    baseline: str,
    measured: Sequence[float],
    against: Sequence[float],
    *,
    bar: float | None = None,
    unit: str = "ms",
) -> Figure:
    """Return the ratio of two series that were taken in turns."""
    samples = [ours / theirs for ours, theirs in zip(measured, against, strict=True)]
    return Figure(
        name=name,
        baseline=baseline,
        value=statistics.median(samples),
        bar=bar,
        kind="shown" if bar is None else "at most",
        samples=samples,
        detail={
            f"measured_{unit}": statistics.median(measured),
            f"baseline_{unit}": statistics.median(against),
        },
    )


def spread(samples: Sequence[float]) -> str:
    """Return the smallest and the largest sample."""
    return f"{min(samples):.2f}-{max(samples):.2f}" if samples else ""


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as a table of plain text."""
    rows = [("figure", "against", "ratio", "spread", "bar", "")]
    rows += [
        (
            figure.name,
            figure.baseline,
            f"{figure.value:.2f}",
            spread(figure.samples),
            _bar(figure),
            "" if figure.bar is None else ("ok" if figure.within_bar else "MISSED"),
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _bar(figure: Figure) -> str:
    if figure.bar is None:
        return ""
    sign = "<=" if figure.kind == "at most" else ">="
    return f"{sign} {figure.bar:g}"
