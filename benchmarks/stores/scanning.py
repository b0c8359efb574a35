"""List big stores with whole processes, first without an index, then with it."""

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import (
    SIDECAR,
    peak_of_command,
    peak_without_index,
    time_command,
    time_without_index,
)
from benchmarks.promises import (
    SCAN_MEMORY,
    SCAN_OF_MANY_SIZES,
    SCAN_OF_MANY_TASKS,
    SCAN_OVER_READING,
    WARM_START,
)
from benchmarks.stores import corpora
from benchmarks.stores.listing import GUIDE

_PEER: Final = "guide under Node"
_READ: Final = """
import os, sys
for folder in os.scandir(sys.argv[1] + "/tasks"):
    for name in ("ui_messages.json", "api_conversation_history.json"):
        file = os.open(folder.path + "/" + name, os.O_RDONLY)
        os.read(file, os.fstat(file).st_size)
        os.close(file)
"""
_STAT: Final = """
import os, sys
tasks = os.open(sys.argv[1] + "/tasks", os.O_RDONLY)
for name in os.listdir(tasks):
    for file in ("ui_messages.json", "api_conversation_history.json"):
        os.stat(name + "/" + file, dir_fd=tasks)
"""


def measure_sizes(runs: int) -> list[Comparison]:
    """List 1,000 tasks of realistic sizes for the first time."""
    return _first_lists(corpora.many_sizes(), "sizes", "1,000 tasks of all sizes", SCAN_OF_MANY_SIZES, runs)


def measure_tasks(runs: int) -> list[Comparison]:
    """List 20,000 small tasks for the first time, then again."""
    root = corpora.many_tasks()
    return [
        *_first_lists(root, "tasks", "20,000 tasks of 5 KB", SCAN_OF_MANY_TASKS, runs),
        _later_list(root, runs),
    ]


def _first_lists(root: Path, name: str, what: str, promised: dict[str, float], runs: int) -> list[Comparison]:
    with tempfile.TemporaryDirectory() as cache:
        lists = {rules: (*_list(root, "--json"), "--rules", rules) for rules in promised}
        answer = (*_list(root, "--text"), "--rules", "guide")
        guide = (*GUIDE, "text", str(root))
        sides = [
            partial(time_command, guide),
            partial(time_command, (sys.executable, "-c", _READ, str(root))),
            *(partial(time_without_index, command, cache) for command in (answer, *lists.values())),
        ]
        node, reading, answering, *ours = interleave(sides, runs)
        peaks = interleave(
            [
                partial(peak_of_command, guide),
                partial(peak_without_index, lists["structural"], cache),
            ],
            1,
        )
    firsts = [
        Comparison(f"first list of {what}, {rules}", _PEER, values, node, faster=True, promise=bar)
        for (rules, bar), values in zip(promised.items(), ours, strict=True)
    ]
    return [
        *firsts,
        Comparison(f"first list of {what}, the guide's answer", _PEER, answering, node, faster=True),
        Comparison(
            f"first list of {what}", "reading all bytes", ours[0], reading, promise=SCAN_OVER_READING[name]
        ),
        Comparison(
            f"memory of a first list of {what}",
            _PEER,
            peaks[1],
            peaks[0],
            "MiB",
            promise=SCAN_MEMORY[name],
        ),
    ]


def _later_list(root: Path, runs: int) -> Comparison:
    with tempfile.TemporaryDirectory() as cache:
        variables = {"SIDECAR_CACHE_DIR": cache}
        sides = [
            partial(time_command, _list(root, "--json"), variables),
            partial(time_command, (sys.executable, "-c", _STAT, str(root))),
        ]
        ours, peer = interleave(sides, runs)
    return Comparison("later list of 20,000 tasks", "bare stat walk", ours, peer, promise=WARM_START)


def _list(root: Path, form: str) -> tuple[str, ...]:
    return (*SIDECAR, "list", "--root", str(root), form)
