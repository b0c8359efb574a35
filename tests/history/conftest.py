"""Write small tasks by hand."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from sidecar.history.stores.task_folders import leftovers

NOW = 1_776_254_400_000
HOUR = 3_600_000
TASK_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"
Message = dict[str, Any]


class Store:
    """A root to write tasks into, and the history that reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = NOW
        self.history = TaskHistory([path], now=lambda: self.now)

    def write(
        self,
        ui: Sequence[object] | bytes | None = None,
        api: Sequence[object] | bytes | None = None,
        task_id: str = TASK_ID,
        history_item: object = None,
        task_metadata: object = None,
    ) -> Path:
        folder = self.path / "tasks" / task_id
        folder.mkdir(parents=True, exist_ok=True)
        contents = {
            "ui_messages": ui,
            "api_conversation_history": api,
            "history_item": history_item,
            "task_metadata": task_metadata,
        }
        for name, content in contents.items():
            if content is not None:
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                (folder / f"{name}.json").write_bytes(data)
        return folder

    def task(self, task_id: str = TASK_ID) -> TaskInfo:
        return {task.id: task for task in self.history.list()}[task_id]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "root")


@pytest.fixture
def say() -> Callable[..., Message]:
    def make(kind: str, text: str | None = None, ts: int = NOW - HOUR, **more: object) -> Message:
        return {"ts": ts, "type": "say", "say": kind, **({"text": text} if text is not None else {}), **more}

    return make


@pytest.fixture
def ask() -> Callable[..., Message]:
    def make(kind: str, text: str = "", ts: int = NOW - HOUR, **more: object) -> Message:
        return {"ts": ts, "type": "ask", "ask": kind, "text": text, **more}

    return make


@pytest.fixture
def user() -> Callable[..., Message]:
    def make(*texts: str) -> Message:
        return {
            "role": "user",
            "ts": NOW - HOUR,
            "content": [{"type": "text", "text": text} for text in texts],
        }

    return make


@pytest.fixture
def long_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat leftovers of saves as old: whatever is in the folders, no save is in progress."""
    monkeypatch.setattr(leftovers, "wall_seconds", lambda: time.time() + 100)
