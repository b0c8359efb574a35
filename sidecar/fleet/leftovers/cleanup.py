"""Remove from a node what no run uses any more."""

import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.fleet.access import remove_tree
from sidecar.fleet.leftovers import run_lock
from sidecar.fleet.leftovers.watcher import KEEP_SECONDS
from sidecar.fleet.node_run import fleet_folder
from sidecar.fleet.tree.node_cache import NodeCache
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.remote.git import GitError

FRESH_SECONDS = 120.0
"""A folder this young may belong to a run that is just starting."""
CACHE_SECONDS = 30 * 24 * 3600.0
BASE_SECONDS = 7 * 24 * 3600.0
"""A commit is dropped from its cache when no run has started from it for this long."""
MOST_BASES = 64
MOST_BYTES = 5 << 30
"""The maximum size of a cache. The least recently used commits are dropped first; the latest one stays."""
_SWEEP_SECONDS = 4.0


@dataclass
class CleanedUp:
    """What was removed, and why something was not."""

    removed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def clean_up() -> CleanedUp:
    """Remove folders that no run needs, and unused caches and commits."""
    fleet = fleet_folder()
    done = CleanedUp([each.name for each in _folders(fleet / "runs", FRESH_SECONDS) if _is_removed(each)])
    for folder in _folders(fleet / "cache", 0):
        try:
            done.removed += _cleaned(NodeCache(folder))
        except GitError as error:
            done.problems.append(f"cache {folder.name}: {error}")
    return done


def _is_removed(run: Path) -> bool:
    """Remove the folder of a run and its processes, unless it is still needed."""
    has_changes = (run / "changes.bundle").exists() or (run / "tree").exists()
    if has_changes and _age(run.stat().st_mtime) < KEEP_SECONDS:
        return False  # a sidecar may still fetch them
    held = run_lock.hold(run)
    if held is None:
        return False
    sweep([run.name], _SWEEP_SECONDS)
    remove_tree(run)
    os.close(held)
    return True


def _cleaned(cache: NodeCache) -> list[str]:
    """Remove an unused cache or its unused commits, unless a run needs it. Raises GitError."""
    name = cache.folder.name
    unused = _age(cache.folder.stat().st_mtime)
    if not cache.try_alone():
        return []
    try:
        if unused > CACHE_SECONDS:
            shutil.rmtree(cache.folder, ignore_errors=True)
            return [name]
        count = _dropped(cache)
    finally:
        cache.release()
    return [f"{name}: {count} commits"] if count else []


def _dropped(cache: NodeCache) -> int:
    """Drop commits by age, number and size; return how many."""
    uses = cache.last_uses()
    keep = [base for base, used in uses.items() if _age(used) <= BASE_SECONDS][:MOST_BASES]
    drop = [base for base in uses if base not in keep]
    if drop:
        cache.forget(drop)
    while len(keep) > 1 and cache.size() > MOST_BYTES:
        half = len(keep) // 2
        cache.forget(keep[-half:])
        drop, keep = drop + keep[-half:], keep[:-half]
    return len(drop)


def _age(moment: float) -> float:
    return time.time() - moment


def _folders(parent: Path, age: float) -> list[Path]:
    """Return the folders that did not change for `age` seconds."""
    folders = list(parent.iterdir()) if parent.is_dir() else []
    return [each for each in folders if _age(each.stat().st_mtime) >= age]
