"""Read and save what a dead actor left on its node."""

import base64
import shutil
from pathlib import Path
from typing import Any

import orjson

from sidecar.fleet.kept_changes import KeptChanges
from sidecar.fleet.node_journal import NodeJournal
from sidecar.fleet.node_run import fleet_folder
from sidecar.fleet.node_tree import NodeTree
from sidecar.subagents.runners.process.marker import sweep

_SWEEP_SECONDS = 4.0
_LINES, _LINE_BYTES = 5000, 4 << 20


def salvage(task_id: str, repository: str, prefix: str, base: str, after: int) -> dict[str, Any]:
    """Return lines after a number, none after the last one, and the commit of the changes of a run.

    `commit` is None without changes that can be saved; `problem` says why they cannot. May be repeated.
    """
    fleet, folder = fleet_folder(), _folder(task_id)
    if not folder.exists():
        return {"lines": [], "commit": None, "problem": None}
    sweep([task_id], _SWEEP_SECONDS)
    commit, problem = None, None
    tree, changes = NodeTree(fleet, folder, repository, prefix, base), KeptChanges(folder, base)
    try:
        if changes.commit is not None or (tree.path / ".git").exists():
            commit = changes.save(tree, task_id)
    except Exception as error:
        problem = str(error)
    finally:
        tree.release()
    return {"lines": _lines(folder / "journal.ndjson", after), "commit": commit, "problem": problem}


def piece(task_id: str, base: str, offset: int) -> dict[str, Any]:
    """Return a piece of the salvaged changes; see `KeptChanges`."""
    taken = KeptChanges(_folder(task_id), base).piece(offset)
    return {**taken, "data": base64.b64encode(taken["data"]).decode()}


def discard(task_id: str) -> None:
    """Remove what is left of a run."""
    if _folder(task_id).exists():
        sweep([task_id], _SWEEP_SECONDS)
        shutil.rmtree(_folder(task_id), ignore_errors=True)


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
