"""Draws the kept results into docs/benchmarks: ``python -m benchmarks.plots``.

Of each subject, what a figure's name says before its colon, the figures of the newest full run
count, or those of a fast run where there is no other.
The pictures are plain SVG and need no package.
"""

from __future__ import annotations

import json
import sys
from html import escape
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.report import RESULTS
from benchmarks.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = ROOT / "docs" / "benchmarks.md"
START, END = "<!-- table: start -->", "<!-- table: end -->"

_WIDTH, _ROW, _LABELS = 900, 26, 470
_COLOURS = ("#0f766e", "#b45309", "#6d28d9", "#be123c")
_FONT = 'font-family="system-ui, sans-serif" font-size="13"'


def newest() -> list[tuple[Figure, str]]:
    """Return every figure once, with the name of the file that it is from."""
    found: dict[tuple[str, str], tuple[Figure, str]] = {}
    kept = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in RESULTS.glob("*.json")]
    for path, result in sorted(kept, key=lambda each: (each[1]["mode"] == "full", each[1]["date"])):
        for stored in result["figures"]:
            del stored["within_bar"]
        figures = [Figure(**stored) for stored in result["figures"]]
        # One that is measured in another way now leaves nothing of the earlier way.
        measured = {_subject(figure) for figure in figures}
        found = {key: each for key, each in found.items() if _subject(each[0]) not in measured}
        found |= {(figure.name, figure.baseline): (figure, path.name) for figure in figures}
    return [found[key] for key in sorted(found)]


def _subject(figure: Figure) -> str:
    return figure.name.partition(":")[0]


def _table(figures: Iterable[tuple[Figure, str]]) -> str:
    lines = ["| Figure | Against | Ratio | Spread | Bar | |", "|---|---|---:|---|---|---|"]
    for figure, _ in figures:
        spread = f"{min(figure.samples):.2f} to {max(figure.samples):.2f}" if figure.samples else ""
        sign = {"at most": "≤", "at least": "≥"}.get(figure.kind, "")
        bar = "" if figure.bar is None else f"{sign} {figure.bar:g}"
        verdict = "" if figure.bar is None else ("met" if figure.within_bar else "**missed**")
        cells = (figure.name, figure.baseline, f"{figure.value:.2f}", spread, bar, verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _svg(height: float, parts: Iterable[str], label: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}"'
            f' viewBox="0 0 {_WIDTH} {height:.0f}" role="img"',
            f' aria-label="{escape(label)}" {_FONT}>',
            f'<rect width="{_WIDTH}" height="{height:.0f}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        ]
    )


def bars(figures: Sequence[Figure]) -> str:
    """Draw how much of its bar each figure takes up."""
    room = _WIDTH - _LABELS - 80
    edge = _LABELS + room / 1.5
    parts = [f'<text x="{edge - 12:.0f}" y="18" fill="#444">bar</text>']
    for row, figure in enumerate(figures):
        bar = figure.bar or 1.0
        part = figure.value / bar if figure.kind == "at most" else bar / figure.value
        y = 30 + row * _ROW
        colour = _COLOURS[0] if figure.within_bar else _COLOURS[3]
        thick = _ROW - 8
        width = min(part, 1.5) / 1.5 * room
        parts += [
            f'<text x="{_LABELS - 8}" y="{y + 14}" text-anchor="end">{escape(figure.name)}</text>',
            f'<rect x="{_LABELS}" y="{y}" width="{width:.0f}" height="{thick}" fill="{colour}"/>',
            f'<text x="{_LABELS + width + 6:.0f}" y="{y + 14}">{figure.value:.2f}</text>',
        ]
    height = 40 + len(figures) * _ROW
    parts.append(f'<path d="M{edge:.0f} 24V{height - 8}" stroke="#444" stroke-dasharray="4 3"/>')
    return _svg(height, parts, "Every figure beside its bar")


def lines(series: dict[str, Sequence[float]], title: str) -> str:
    """Draw what every tenth turn of a growing conversation cost."""
    height, left, right, top, bottom = 340, 60, 30, 40, 50
    longest = max(len(values) for values in series.values())
    highest = max(max(values) for values in series.values())
    scale_x = (_WIDTH - left - right) / max(longest - 1, 1)
    scale_y = (height - top - bottom) / highest
    parts = [f'<text x="{left}" y="20" font-weight="600">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        y = height - bottom - share * highest * scale_y
        parts += [
            f'<path d="M{left} {y:.0f}H{_WIDTH - right}" stroke="#ddd"/>',
            f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{share * highest:.0f}</text>',
        ]
    for number, (name, values) in enumerate(series.items()):
        points = " ".join(
            f"{left + i * scale_x:.1f},{height - bottom - value * scale_y:.1f}"
            for i, value in enumerate(values)
        )
        colour = _COLOURS[number % len(_COLOURS)]
        x = left + number * 210
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<rect x="{x}" y="{height - 20}" width="12" height="12" fill="{colour}"/>',
            f'<text x="{x + 18}" y="{height - 9}">{escape(name)}</text>',
        ]
    return _svg(height, parts, title)


def _growth(figures: Iterable[Figure], store: str) -> dict[str, Sequence[float]]:
    series: dict[str, Sequence[float]] = {}
    for figure in figures:
        if not figure.name.startswith("last turn of") or f"on {store}" not in figure.name:
            continue
        detail: Any = figure.detail["every_tenth_cpu_ms"]
        name = "stock savers" if "stock" in figure.name else "whole history"
        series["40 messages" if "40 messages" in figure.name else name] = detail
    return series


def main() -> int:
    """Write the pictures and the page's table."""
    found = newest()
    figures = [figure for figure, _ in found]
    folder = PAGE.with_suffix("")
    folder.mkdir(exist_ok=True)
    barred = [figure for figure in figures if figure.bar]
    (folder / "bars.svg").write_text(bars(barred), encoding="utf-8")
    for store in ("SQLite", "PostgreSQL"):
        if series := _growth(figures, store):
            picture = lines(series, f"CPU time of a turn in ms, every tenth turn, {store}")
            (folder / f"growth-{store.lower()}.svg").write_text(picture, encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    files = ", ".join(f"`{name}`" for name in sorted({name for _, name in found}))
    table = f"{START}\n{_table(found)}\n\nFrom {files} in `benchmarks/results`.\n{END}"
    PAGE.write_text(f"{before}{table}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
