"""Read what a dead actor left on its node; its watcher saves the changes."""

import base64
import os
from pathlib import Path
from typing import Any

import orjson

from sidecar.fleet.access import remove_tree
from sidecar.fleet.leftovers import run_lock, watcher
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.fleet.node_journal import NodeJournal
from sidecar.fleet.node_run import fleet_folder
from sidecar.fleet.tree.kept_changes import KeptChanges
from sidecar.subagents.runners.process.marker import sweep

_SWEEP_SECONDS = 4.0
_LINES, _LINE_BYTES = 5000, 4 << 20


def salvage(task_id: str, repository: str, prefix: str, base: str, after: int) -> dict[str, Any]:
    """Return the lines of a run after a number, and the commit of its changes.

    `commit` is None while the node is `saving` the changes, and if they cannot be saved; `problem` then says
    why. May be repeated.
    """
    folder = _folder(task_id)
    if not folder.exists():
        return {"lines": [], "commit": None, "saving": False, "problem": None}
    run = LeftRun(folder, repository, prefix, base)
    is_unsaved = run.is_unsaved
    if is_unsaved and not run_lock.is_held(folder):
        os.close(watcher.start(run))  # there is none, for example because the machine was restarted
    problem = run.problem if is_unsaved else None
    return {
        "lines": _lines(folder / "journal.ndjson", after),
        "commit": run.changes.commit,
        "saving": is_unsaved and problem is None,
        "problem": problem,
    }


def piece(task_id: str, base: str, offset: int) -> dict[str, Any]:
    """Return a piece of the salvaged changes; see `KeptChanges`."""
    taken = KeptChanges(_folder(task_id), base).piece(offset)
    return {**taken, "data": base64.b64encode(taken["data"]).decode()}


def is_left(task_id: str) -> bool:
    """Return whether this node has the folder of a run."""
    return _folder(task_id).exists()


def discard(task_id: str) -> None:
    """Remove the leftovers of a run."""
    if _folder(task_id).exists():
        sweep([task_id], _SWEEP_SECONDS)
        remove_tree(_folder(task_id))


def _lines(file: Path, after: int) -> list[Any]:
    if not file.exists():
        return []
    journal = NodeJournal(file)
    try:
        return [orjson.loads(line) for line in journal.read(after, _LINES, _LINE_BYTES)]
    finally:
        journal.close()


def _folder(task_id: str) -> Path:
    return fleet_folder() / "runs" / task_id
