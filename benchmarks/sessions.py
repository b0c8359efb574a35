"""The sessions of Claude Code, listed by whole processes: at first without an index, later by it."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import corpora
from benchmarks.accuracy import CCUSAGE
from benchmarks.measure import Comparison, interleave, within
from benchmarks.processes import SIDECAR, peak_without_index, time_command, time_without_index
from benchmarks.promises import (
    SESSIONS_LATER,
    SESSIONS_MEMORY_MIB,
    SESSIONS_OVER_CCUSAGE,
    SESSIONS_OVER_READING,
)

_WHAT: Final = "5,000 sessions of Claude Code, 1 GB"
_READ: Final = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        file = os.open(folder + "/" + name, os.O_RDONLY)
        os.read(file, os.fstat(file).st_size)
        os.close(file)
"""
_STAT: Final = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        os.stat(folder + "/" + name)
"""


def measure(runs: int) -> list[Comparison]:
    """List the sessions for the first time and again, with a warm page cache."""
    root = str(corpora.claude_sessions())
    listing = (*SIDECAR, "list", "--root", root, "--json")
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as kept:
        sides = [
            partial(time_command, (sys.executable, "-c", _READ, root)),
            partial(time_command, (sys.executable, "-c", _STAT, root)),
            partial(time_without_index, listing, cache),
            partial(time_command, listing, {"SIDECAR_CACHE_DIR": kept}),
        ]
        peer = _ccusage()
        if peer is not None:
            variables = {"CLAUDE_CONFIG_DIR": root, "LOG_LEVEL": "0"}
            sides.append(partial(time_command, (*peer, "session", "--json", "--offline"), variables))
        reading, walking, first, later, *others = interleave(sides, runs)
        peak = peak_without_index(listing, cache)
    found = [
        Comparison(
            f"first list of {_WHAT}", "reading all bytes", first, reading, promise=SESSIONS_OVER_READING
        ),
        Comparison(f"later list of {_WHAT}", "bare stat walk", later, walking, promise=SESSIONS_LATER),
        within(f"memory of a first list of {_WHAT}", [peak], SESSIONS_MEMORY_MIB, "MiB"),
    ]
    for values in others:
        found.append(
            Comparison(
                f"first list of {_WHAT}", CCUSAGE, first, values, faster=True, promise=SESSIONS_OVER_CCUSAGE
            )
        )
    return found


def _ccusage() -> tuple[str, ...] | None:
    """Install the peer next to the corpora; None, with a line on stderr, if that is not possible."""
    folder = corpora.folder("ccusage")
    program = folder / "node_modules" / ".bin" / "ccusage"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), CCUSAGE]
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"measuring without {CCUSAGE}: {error}", file=sys.stderr)
            return None
    return (str(Path(program)),) if os.access(program, os.X_OK) else None
