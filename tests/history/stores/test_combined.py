"""A root with the sessions of Cline 4 and the tasks of earlier versions lists both."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.corpus.sessions.cline import write_cline
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.live.sweep import Sweep
from sidecar.history.stores.combined import CombinedStore
from tests.history.stores.fixtures.foreign_files import seen

OLD = "1770000000001"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    write_cline(path, 1, 3)
    write_old(path)
    return path


def write_old(path: Path) -> None:
    """Write a task of an earlier version."""
    task = path / "tasks" / OLD
    task.mkdir(parents=True)
    message = {"ts": 1_770_000_000_001, "type": "say", "say": "text", "text": "an old task"}
    (task / "ui_messages.json").write_text(json.dumps([message]))
    (task / "api_conversation_history.json").write_text("[]")


def test_both_formats_are_listed_found_and_read(root: Path) -> None:
    before = seen(root)
    history = TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")
    assert isinstance(history.store(str(root)), CombinedStore)
    rows = {task.id: task for task in history.list(children=True)}
    assert rows[OLD].title == "an old task" and len(rows) > 3
    for key, row in rows.items():
        assert history.get(key)[0] == row
        assert history.messages(key).total
    assert history.list(rules="guide") == []
    history.close()
    again = TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")
    assert {task.id for task in again.list(children=True)} == rows.keys()
    assert seen(root) == before


def test_changes_of_both_are_noticed(root: Path) -> None:
    history = TaskHistory([root], now=lambda: NOW)
    history.list()
    history.refresh()
    message = {"ts": 1_770_000_000_009, "type": "say", "say": "text", "text": "one more"}
    (root / "tasks" / OLD / "ui_messages.json").write_text(json.dumps([message]))
    assert history.refresh().changed == [OLD]
    store = history.store(str(root))
    assert store.touched(["tasks", OLD, "ui_messages.json"]) is not None
    key = next(key for key in store.members() if key != OLD)
    assert store.touched(["sessions", key.partition("__")[0]]) is not None


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("is_old_first", [False, True])
def test_a_format_that_is_added_later_is_listed_too(tmp_path: Path, is_old_first: bool, live: bool) -> None:
    root = tmp_path / "data"
    formats: list[Callable[[], object]] = [lambda: write_old(root), lambda: write_cline(root, 1, 3)]
    first, second = formats if is_old_first else reversed(formats)
    first()
    history = TaskHistory([root], now=lambda: NOW)
    before = {task.id for task in history.list(children=True)}
    history.collect()
    second()
    if live:
        sweep = Sweep(history.catalogs)
        sweep.restart()
        sweep.step(NOW)
    after = {task.id for task in history.list(children=True)}
    assert before < after and (OLD in before) is is_old_first and OLD in after
    assert set(history.collect().added) == after - before
