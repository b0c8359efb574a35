"""How often a list calls stat: it decides how long a later list takes."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from sidecar.corpus.agents.claude import generate
from sidecar.history.stores.claude.store import ClaudeStore
from sidecar.history.stores.contract import Root

OTHERS = 5
"""Calls that do not depend on the number of sessions."""


def stats_during(action: Callable[[], object]) -> int:
    """Count the calls of stat in this thread."""
    calls: list[str] = []

    def note(_: FrameType, event: str, called: object) -> None:
        if event == "c_call" and getattr(called, "__name__", "") in ("stat", "lstat"):
            calls.append(event)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return len(calls)


def opened(folder: Path) -> tuple[ClaudeStore, list[str]]:
    generate(folder / "root", 3, 40)
    store = ClaudeStore(Root(str(folder / "root"), copies=str(folder / "kept")))
    keys = store.members()
    assert len(keys) > 40
    return store, keys


def test_fingerprints_take_one_stat_of_each_file(tmp_path: Path) -> None:
    store, keys = opened(tmp_path)
    assert len(keys) <= stats_during(lambda: store.fingerprints(keys)) <= len(keys) + OTHERS


def test_reading_sessions_does_not_look_for_kept_copies_of_each(tmp_path: Path) -> None:
    store, keys = opened(tmp_path)
    store.rows(keys[:1], "structural", 0)  # imports modules, which takes stats too
    assert stats_during(lambda: store.rows(keys, "structural", 0)) <= OTHERS
