"""Stores of agents for tests: written by the corpus, listed by a history."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.corpus.compare import mismatches
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS, Truth
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection

WRITERS = {name: STORES[name] for name in ("copilot", "gemini", "qwen")}


def history_of(root: Path, now: int = NOW_MS) -> TaskHistory:
    """Open the history of one root, which keeps an index next to it."""
    return TaskHistory([root], now=lambda: now, cache=root.parent / "cache")


def listed(history: TaskHistory, children: bool = True) -> dict[str, dict[str, Any]]:
    """List the rows as on the wire, by id."""
    rows = history.select(Selection(children=children))
    return {row.id: msgspec.to_builtins(row) for row in rows}


def wrong_values(truths: list[Truth], rows: Mapping[str, Mapping[str, Any]]) -> list[object]:
    """Return the values that differ, each with its case and the right value."""
    found: list[object] = [f"extra row {name}" for name in rows.keys() - {truth.id for truth in truths}]
    for truth in truths:
        if truth.id not in rows:
            found.append(f"no row for {truth.case}")
            continue
        wanted = msgspec.to_builtins(truth)
        found += [(truth.case, *each) for each in mismatches(wanted, rows[truth.id])]
    return found


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Return what a store consists of: names, bytes and times of all files and folders."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [root, *root.rglob("*")]:
        stat = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        times = (stat.st_mtime_ns, stat.st_ctime_ns)
        found[str(path)] = (stat.st_ino, stat.st_mode, stat.st_size, *times, content)
    return found
