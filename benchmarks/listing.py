"""The first list of stored tasks, nothing kept from before, against the guide under Node: whole processes."""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import REPOSITORY, SIDECAR, time_command
from benchmarks.promises import FIRST_LIST
from tests.generator import ERAS, sized

_NODE = ("node", str(REPOSITORY / "tests" / "oracle" / "list_tasks.mjs"), "json")
_LISTED = [era for era in ERAS if era.ids != "epoch"]
"""The guide passes over Cline's folders: only of the other eras do both sides list every task."""


def measure(runs: int) -> list[Comparison]:
    """List 1,000 tasks of 22 KB by both rule sets; the page cache is warm from the unmeasured first run."""
    return _compare(1_000, 22_000, runs, ("structural", "guide"), FIRST_LIST)


def measure_many(runs: int) -> list[Comparison]:
    """List 20,000 tasks of 5 KB."""
    return _compare(20_000, 5_000, runs, ("structural",), None)


def _compare(
    count: int, size: int, runs: int, rules: Sequence[str], promise: float | None
) -> list[Comparison]:
    with tempfile.TemporaryDirectory() as folder:
        sized(Path(folder), count, size, eras=_LISTED)
        ours = [(*SIDECAR, "list", "--root", folder, "--json", "--rules", name) for name in rules]
        commands = [(*_NODE, folder), *ours]
        peer, *measured = interleave([partial(time_command, command) for command in commands], runs)
    what = f"list {count:,} tasks of {size // 1000} KB"
    return [
        Comparison(
            f"{what}, {name}",
            "guide under Node",
            values,
            peer,
            faster=True,
            promise=promise if name == "structural" else None,
        )
        for name, values in zip(rules, measured, strict=True)
    ]
