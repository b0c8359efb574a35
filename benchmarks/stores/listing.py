"""Time the first list of stored tasks without an index, against the guide under Node, as whole processes."""

import tempfile
from functools import partial
from pathlib import Path

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import REPOSITORY, SIDECAR, time_command, time_without_index
from benchmarks.promises import FIRST_LIST
from tests.generator import ERAS, sized

GUIDE = ("node", str(REPOSITORY / "tests" / "oracle" / "list_tasks.mjs"))
"""The guide's own list; `json` prints what it found, `text` what its tool answers."""
LISTED = [era for era in ERAS if era.ids != "epoch"]
"""The guide ignores Cline's folders, so both sides list every task only for the other eras."""


def measure(runs: int) -> list[Comparison]:
    """List 1,000 tasks of 22 KB by both rule sets; the page cache is warm from the unmeasured first run."""
    rules = ("structural", "guide")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        sized(Path(folder), 1_000, 22_000, eras=LISTED)
        ours = [(*SIDECAR, "list", "--root", folder, "--json", "--rules", name) for name in rules]
        sides = [partial(time_without_index, command, cache) for command in ours]
        peer, *measured = interleave([partial(time_command, (*GUIDE, "json", folder)), *sides], runs)
    what = "list 1,000 tasks of 22 KB"
    return [
        Comparison(
            f"{what}, {name}",
            "guide under Node",
            values,
            peer,
            faster=True,
            promise=FIRST_LIST if name == "structural" else None,
        )
        for name, values in zip(rules, measured, strict=True)
    ]
