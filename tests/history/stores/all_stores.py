"""A home with the stores of all eight products, their databases in every state that a product leaves."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sidecar.corpus.stores import STORES
from tests.history.stores.agents import snapshot

PLACES: Mapping[str, str] = {
    "claude": ".claude",
    "codex": ".codex",
    "opencode": ".local/share/opencode",
    "kilo": ".local/share/kilo",
    "cline": ".cline/data",
    "gemini": ".gemini",
    "qwen": ".qwen",
    "copilot": ".copilot",
}
_TOUCH = "CREATE TABLE IF NOT EXISTS later (x); INSERT INTO later VALUES (1);"


class Stores:
    """The roots by product, the ids of their sessions, and what they consist of."""

    def __init__(self, home: Path, sessions: Mapping[str, list[str]]) -> None:
        self.roots = {product: home / place for product, place in PLACES.items()}
        self.sessions = sessions
        self.before = self.seen()

    def seen(self) -> dict[str, dict[str, tuple[object, ...]]]:
        return {product: snapshot(root) for product, root in self.roots.items()}

    def assert_unchanged(self) -> None:
        for product, found in self.seen().items():
            before = self.before[product]
            assert found.keys() == before.keys(), product
            assert not [path for path, state in found.items() if state != before[path]], product


@contextmanager
def all_stores(home: Path, age_seconds: float = 0) -> Iterator[Stores]:
    """Write the stores; the files of sessions get a time that is `age_seconds` before theirs.

    opencode was killed and left a log with its index, Codex left a log only, and Kilo is writing.
    """
    sessions: dict[str, list[str]] = {}
    for product, place in PLACES.items():
        root = home / place
        root.mkdir(parents=True)
        truths = STORES[product](root, 5, 1)
        sessions[product] = [truth.id for truth in truths if truth.listed]
    _leave_log(home / PLACES["opencode"] / "opencode.db", with_index=True)
    _leave_log(home / PLACES["codex"] / "state_5.sqlite", with_index=False)
    for file in home.rglob("*.json*"):
        then = file.stat().st_mtime - age_seconds
        os.utime(file, (then, then))
    writer = sqlite3.connect(home / PLACES["kilo"] / "kilo.db", isolation_level=None)
    try:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.executescript(_TOUCH)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO later VALUES (2)")
        yield Stores(home, sessions)
    finally:
        writer.close()


def _leave_log(path: Path, with_index: bool) -> None:
    """Write to a database, and leave it as a killed process does."""
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.executescript(_TOUCH)
    names = [path.name, f"{path.name}-wal", *([f"{path.name}-shm"] if with_index else [])]
    left = path.parent / "left"
    left.mkdir()
    for name in names:
        shutil.copy(path.parent / name, left / name)
    writer.close()
    for name in names:
        os.replace(left / name, path.parent / name)
    left.rmdir()
