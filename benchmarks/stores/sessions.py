"""List the sessions of Claude Code with whole processes, first without an index, then with it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.accuracy import CCUSAGE
from benchmarks.measure import Comparison, interleave, within
from benchmarks.processes import SIDECAR, peak_without_index, time_command, time_without_index
from benchmarks.promises import (
    SESSIONS_LATER,
    SESSIONS_MEMORY_MIB,
    SESSIONS_OVER_CCUSAGE,
    SESSIONS_OVER_READING,
)
from benchmarks.stores import corpora

CCUSAGE_IN_JAVASCRIPT: Final = "ccusage@18.0.11"
"""The last version of the peer that is written in JavaScript; the later ones are native programs."""
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
    """List the sessions for the first time and again, with a warm page cache.

    No Host takes part: each list is a process of its own. The second list keeps what later ones print, so it
    is measured apart, and so is the list after a change.
    """
    root = str(corpora.claude_sessions())
    listing = (*SIDECAR, "list", "--root", root, "--json")
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as kept:
        sides = [
            partial(time_command, (sys.executable, "-c", _READ, root)),
            partial(time_command, (sys.executable, "-c", _STAT, root)),
            partial(time_without_index, listing, cache),
            partial(time_command, listing, {"SIDECAR_CACHE_DIR": kept}),
        ]
        second = partial(_time_second, listing, cache)
        changed = partial(_time_after_change, listing, root, {"SIDECAR_CACHE_DIR": kept})
        peers = [
            (name, program) for name in (CCUSAGE_IN_JAVASCRIPT, CCUSAGE) if (program := _installed(name))
        ]
        variables = {"CLAUDE_CONFIG_DIR": root, "LOG_LEVEL": "0"}
        for _, program in peers:
            report = (program, "session", "--json", "--offline")
            sides.append(partial(time_command, report, variables))
        time_command(
            listing, {"SIDECAR_CACHE_DIR": kept}
        )  # the first list, so that the unmeasured one is the second
        reading, walking, first, later, *others = interleave(sides, runs)
        peak = peak_without_index(listing, cache)
        # Not in turns with the others, for which nothing changes.
        walking_again, after_first, after_change = interleave([sides[1], second, changed], runs)
    found = [
        Comparison(
            f"first list of {_WHAT}", "reading all bytes", first, reading, promise=SESSIONS_OVER_READING
        ),
        Comparison(
            f"later list of {_WHAT}, unchanged, without a Host",
            "bare stat walk",
            later,
            walking,
            promise=SESSIONS_LATER,
        ),
        Comparison(f"second list of {_WHAT}", "bare stat walk", after_first, walking_again),
        Comparison(
            f"later list of {_WHAT}, one of them changed", "bare stat walk", after_change, walking_again
        ),
        within(f"memory of a first list of {_WHAT}", [peak], SESSIONS_MEMORY_MIB, "MiB"),
    ]
    for (name, _), values in zip(peers, others, strict=True):
        promise = SESSIONS_OVER_CCUSAGE if name == CCUSAGE_IN_JAVASCRIPT else None
        found.append(Comparison(f"first list of {_WHAT}", name, first, values, faster=True, promise=promise))
    return found


def _time_second(listing: Sequence[str], cache: str) -> float:
    time_without_index(listing, cache)
    return time_command(listing, {"SIDECAR_CACHE_DIR": cache})


def _time_after_change(listing: Sequence[str], root: str, variables: Mapping[str, str]) -> float:
    """Change the file of one session, and time the list that has to read it again."""
    os.utime(min(Path(root).rglob("*.jsonl")))
    return time_command(listing, variables)


def _installed(package: str) -> str | None:
    """Install a peer next to the corpora; None, with a line on stderr, if that is not possible."""
    folder = corpora.folder(package)  # named for the version, so that another one gets its own
    program = folder / "node_modules" / ".bin" / "ccusage"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), package]
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"measuring without {package}: {error}", file=sys.stderr)
            return None
    return str(program) if os.access(program, os.X_OK) else None
