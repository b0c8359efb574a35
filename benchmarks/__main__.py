"""Measure what is promised about speed: `python -m benchmarks [NAME ...] [--runs N] [--json]`."""

import argparse
import sys
from collections.abc import Callable
from typing import Final

from benchmarks import (
    listing,
    live,
    load,
    mcp_start,
    panel,
    reminders,
    report,
    roots,
    roundtrip,
    runs,
    scanning,
    stalls,
    startup,
)
from benchmarks.measure import Comparison

_BENCHMARKS: Final[dict[str, Callable[[int], list[Comparison]]]] = {
    "roundtrip": roundtrip.measure,
    "startup": startup.measure,
    "mcp-start": mcp_start.measure,
    "list": listing.measure,
    "first-list-sizes": scanning.measure_sizes,
    "first-list-tasks": scanning.measure_tasks,
    "live-list": live.measure_list,
    "news": live.measure_news,
    "roots": roots.measure,
    "hostile": live.measure_hostile,
    "stalls": stalls.measure,
    "runs": runs.measure,
    "load": load.measure,
    "reminders": reminders.measure,
    "panel": panel.measure,
}


def main() -> int:
    """Run the benchmarks named, print the result; 1 when a promise is not met."""
    given = _arguments()
    comparisons = []
    for name in given.names or _BENCHMARKS:
        print(f"measuring {name} ...", file=sys.stderr)
        comparisons += _BENCHMARKS[name](given.runs)
    print(report.as_json(comparisons) if given.json else report.table(comparisons))
    return 1 if any(comparison.met is False for comparison in comparisons) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(_BENCHMARKS)}; default: all")
    parser.add_argument("--runs", type=int, default=7, help="how often each side is measured (default: 7)")
    parser.add_argument("--json", action="store_true", help="print every value as JSON")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in _BENCHMARKS]:
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(_BENCHMARKS)}")
    if given.runs < 1:
        parser.error("--runs must be 1 or more")
    return given


if __name__ == "__main__":
    sys.exit(main())
