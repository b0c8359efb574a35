"""The variables that agents inherit on a node."""

import os
from collections.abc import Mapping
from pathlib import Path

_SET_BY_RAY = ("CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "PYTHONBREAKPOINT")
"""Variables that Ray sets for its workers unless they were set when Ray was started (Ray 2.60)."""


def agent_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables without those that Ray added, and without all RAY_ ones, which hold its token."""
    started = _names_at_start(os.getppid())
    added = () if started is None else [name for name in _SET_BY_RAY if name not in started]
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith("RAY_") and name not in added
    }


def _names_at_start(parent: int) -> set[str] | None:
    """Return the variables with which Ray was started on this node, None if the parent is not its raylet."""
    process = Path("/proc") / str(parent)
    try:
        if (process / "comm").read_text().strip() != "raylet":
            return None
        entries = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    return {os.fsdecode(entry.partition(b"=")[0]) for entry in entries}
