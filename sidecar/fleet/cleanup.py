"""Remove from a node what no run uses any more."""

import shutil
import time
from collections.abc import Collection
from pathlib import Path

from sidecar.fleet.node_cache import NodeCache
from sidecar.fleet.node_run import fleet_folder
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.remote.git import GitError

FRESH_SECONDS = 120.0
"""A folder this young may belong to a run that is just starting."""
CACHE_SECONDS = 30 * 24 * 3600.0
BASE_SECONDS = 7 * 24 * 3600.0
"""A commit that no run started from for this long is dropped from its cache."""
MOST_BASES = 64
MOST_BYTES = 5 << 30
"""The largest cache. The commits that were not used for longest go first; the latest one stays."""
_SWEEP_SECONDS = 4.0


def clean_up(alive: Collection[str]) -> list[str]:
    """Remove folders of runs that are not `alive`, their processes, and unused caches and commits.

    Returns what was removed.
    """
    fleet = fleet_folder()
    runs = [each for each in _folders(fleet / "runs", FRESH_SECONDS) if each.name not in alive]
    if runs:
        sweep([each.name for each in runs], _SWEEP_SECONDS)
    for each in runs:
        shutil.rmtree(each, ignore_errors=True)
    removed = [each.name for each in runs]
    for folder in _folders(fleet / "cache", 0):
        removed += _cleaned(NodeCache(folder))
    return removed


def _cleaned(cache: NodeCache) -> list[str]:
    """Remove an unused cache or its unused commits, unless a run needs it."""
    name = cache.folder.name
    unused = _age(cache.folder.stat().st_mtime)
    if not cache.try_alone():
        return []
    try:
        if unused > CACHE_SECONDS:
            shutil.rmtree(cache.folder, ignore_errors=True)
            return [name]
        count = _dropped(cache)
    except GitError as error:
        return [f"{name}: not cleaned ({error})"]
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
