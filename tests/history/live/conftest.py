"""Follow roots with real watches or with simulated changes."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from sidecar.history import TaskHistory
from sidecar.history.live import LiveHistory
from sidecar.history.live.watcher import ChangesLost, Watch
from sidecar.history.task_history import Changes
from tests.history.conftest import Store

Make = Callable[..., dict[str, Any]]
OTHER = "0198c1e0-0000-7000-8000-000000000000"
WAIT_SECONDS = 20
NEVER = 3600.0
TICK_SECONDS = 0.1


def until(condition: Callable[[], bool], what: str) -> None:
    """Poll until the condition holds; nothing reports it."""
    waiting = threading.Event()
    for _ in range(WAIT_SECONDS * 100):
        if condition():
            return
        waiting.wait(0.01)
    raise AssertionError(f"timed out waiting for {what}")


class Follower:
    """A followed root and the changes announced."""

    def __init__(self, store: Store, **options: Any) -> None:
        self.announced: queue.Queue[Changes] = queue.Queue()
        self.history = TaskHistory([store.path])
        self.live = LiveHistory(self.history, self.announced.put, **options)

    def start(self) -> "Follower":
        self.live.start()
        return self

    def next(self) -> Changes:
        return self.announced.get(timeout=WAIT_SECONDS)

    def until_mode(self, mode: str) -> None:
        """Wait for a mode; the first scan and the first check of active tasks have ended then."""
        until(lambda: self.live.state.mode == mode, f"mode {mode}")


class FakeWatch:
    """Reports simulated changes, or that changes were lost."""

    def __init__(self) -> None:
        self.changes: queue.Queue[set[str] | ChangesLost] = queue.Queue()
        self.folders: list[list[str]] = []

    @contextmanager
    def __call__(self, folders: Sequence[str], stop: threading.Event) -> Iterator[Watch]:
        self.folders.append(list(folders))
        yield self

    def wait(self, seconds: float) -> set[str]:
        try:
            changes = self.changes.get(timeout=min(seconds, TICK_SECONDS))
        except queue.Empty:
            return set()
        if isinstance(changes, ChangesLost):
            raise changes
        return changes


@pytest.fixture
def follow(store: Store) -> Iterator[Callable[..., Follower]]:
    """Make followers of the store; each is closed at the end in bounded time."""
    started: list[Follower] = []

    def make(**options: Any) -> Follower:
        started.append(Follower(store, **{"reconcile_seconds": NEVER, **options}).start())
        return started[-1]

    yield make
    for each in started:
        each.live.close(5)
        assert not each.live._thread.is_alive()


Follow = Callable[..., Follower]
