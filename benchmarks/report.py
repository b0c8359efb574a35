"""Print the result as a table for people or JSON for programs."""

import json
from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.measure import Comparison

_HEADINGS = ("what", "ours", "peer", "", "ratio", "promised", "met")


def table(comparisons: Sequence[Comparison]) -> str:
    """Arrange the comparisons in columns; each side as median (minimum-maximum)."""
    rows = [_HEADINGS, *map(_row, comparisons)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_json(comparisons: Sequence[Comparison]) -> str:
    """Write every measured value, in seconds or MiB, with the ratios and the promises."""
    return json.dumps([_record(comparison) for comparison in comparisons], indent=2)


def _row(one: Comparison) -> tuple[str, ...]:
    met = {True: "yes", False: "NO", None: ""}[one.met]
    return (
        one.what,
        _side(one.ours, one.unit),
        _side(one.peer, one.unit),
        one.peer_name,
        f"{one.ratio:.2f}x{' faster' if one.faster else ''}",
        _promised(one),
        met,
    )


def _promised(one: Comparison) -> str:
    if one.promise is None:
        return ""
    return f"{'>=' if one.faster else '<='} {one.promise:g}x"


def _side(values: Sequence[float], unit: str) -> str:
    scale, name = _scale(median(values), unit)
    middle, low, high = (f"{value * scale:.{_digits(value * scale)}f}" for value in _spread(values))
    return f"{middle} {name} ({low}-{high})"


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return median(values), min(values), max(values)


def _scale(value: float, unit: str) -> tuple[float, str]:
    if unit != "s":
        return 1, unit
    if value < 1e-3:
        return 1e6, "us"
    return (1e3, "ms") if value < 1 else (1, "s")


def _digits(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 10 else 2


def _record(one: Comparison) -> dict[str, Any]:
    return {
        "what": one.what,
        "peer": one.peer_name,
        "unit": one.unit,
        "oursValues": list(one.ours),
        "peerValues": list(one.peer),
        "ratio": one.ratio,
        "ratioIs": "peer/ours" if one.faster else "ours/peer",
        "promised": one.promise,
        "met": one.met,
    }
