"""Measure the promises about speed: `python -m benchmarks [NAME ...] [--runs N] [--tasks N] [--json]`."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from benchmarks import report
from benchmarks.measure import Comparison
from benchmarks.serving import (
    attach,
    busy_run,
    load,
    mcp_start,
    panel,
    reminders,
    roundtrip,
    runs,
    soak,
    startup,
)
from benchmarks.stores import following, listing, live, roots, scanning, sessions, stalls

_BENCHMARKS: Final[dict[str, Callable[[int], list[Comparison]]]] = {
    "roundtrip": roundtrip.measure,
    "startup": startup.measure,
    "mcp-start": mcp_start.measure,
    "list": listing.measure,
    "first-list-sizes": scanning.measure_sizes,
    "first-list-tasks": scanning.measure_tasks,
    "sessions": sessions.measure,
    "live-list": live.measure_list,
    "changes": live.measure_changes,
    "following": following.measure,
    "roots": roots.measure,
    "hostile": live.measure_hostile,
    "stalls": stalls.measure,
    "runs": runs.measure,
    "load": load.measure,
    "reminders": reminders.measure,
    "panel": panel.measure,
    "attach": attach.measure,
    "busy-run": busy_run.measure,
    "soak": soak.measure,
}


def main() -> int:
    """Run the named benchmarks and print the result; return 1 if a promise is not met."""
    given = _arguments()
    comparisons = []
    for name in given.names or _BENCHMARKS:
        print(f"measuring {name} ...", file=sys.stderr)
        comparisons += _benchmark(name, given)(given.runs)
    print(report.as_json(comparisons) if given.json else report.table(comparisons))
    return 1 if any(comparison.met is False for comparison in comparisons) else 0


def _benchmark(name: str, given: argparse.Namespace) -> Callable[[int], list[Comparison]]:
    return partial(soak.measure, tasks=given.tasks) if name == "soak" else _BENCHMARKS[name]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(_BENCHMARKS)}; default: all")
    parser.add_argument("--runs", type=int, default=7, help="how often each side is measured (default: 7)")
    parser.add_argument("--tasks", type=int, default=soak.TASKS, help="runs of the soak (default: 10,000)")
    parser.add_argument("--json", action="store_true", help="print every value as JSON")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in _BENCHMARKS]:
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(_BENCHMARKS)}")
    if given.runs < 1:
        parser.error("--runs must be 1 or more")
    if given.tasks < soak.CLIENTS:
        parser.error(f"--tasks must be {soak.CLIENTS} or more")
    return given


if __name__ == "__main__":
    sys.exit(main())
