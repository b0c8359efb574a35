"""A file that cannot be read for a moment is read again, though nothing about the file changes."""

import errno
import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS, LONGEST_PAUSE_MS, KeptRows
from sidecar.history.listing.selection import Selection
from sidecar.history.stores.index_row import IndexRow
from tests.history.conftest import NOW, TASK_ID, Store
from tests.history.stores.fixtures.one_session import SESSION, write_session

_NAMES: Final = (".jsonl", ".json", ".yaml")
"""How the names of files of sessions end."""
_PRODUCTS: Final = ("claude", "codex", "cline", "gemini", "qwen", "copilot")
Make = Callable[..., dict[str, Any]]


class Refusing:
    """Let the opening of files whose path ends in `end` fail while `number` is set; count the tries."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ends: str) -> None:
        self.number = 0
        self.tries = 0
        self._ends = ends
        self._open = os.open
        monkeypatch.setattr(os, "open", self)

    def __call__(self, path: Any, *arguments: Any, **options: Any) -> int:
        if self.number and isinstance(path, str) and path.endswith(self._ends):
            self.tries += 1
            raise OSError(self.number, os.strerror(self.number), path)
        return self._open(path, *arguments, **options)


class Clock:
    def __init__(self) -> None:
        self.now = NOW_MS

    def __call__(self) -> int:
        return self.now


def listed(history: TaskHistory) -> dict[str, TaskInfo]:
    return {row.id: row for row in history.list(children=True)}


def all_differ_in_time(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found = path.stat()
            os.utime(path, ns=(found.st_mtime_ns + 1_000_000, found.st_mtime_ns + 1_000_000))


def with_subagent(root: Path) -> Path:
    """Write a session and its subagent; return the file of the subagent."""
    path = write_session(root)
    child = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    child.parent.mkdir(parents=True)
    record = json.loads(path.read_bytes())
    child.write_text(json.dumps({**record, "uuid": "u1", "isSidechain": True, "agentId": "a1"}) + "\n")
    return child


@pytest.fixture
def root(request: pytest.FixtureRequest, tmp_path: Path, store: Store, say: Make) -> Path:
    if request.param == "roo":
        store.write(ui=[say("text", "Fix the parser"), say("text", "It is fixed")], api=[])
        return store.path
    root = tmp_path / "sessions"
    root.mkdir()
    STORES[request.param](root, 7, 1)
    return root


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
@pytest.mark.parametrize("root", [*_PRODUCTS, "roo"], indirect=True)
def test_files_that_cannot_be_opened_for_a_moment_are_read_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refusing, clock = Refusing(monkeypatch, *_NAMES), Clock()
    opened = [TaskHistory([root], now=clock, cache=tmp_path / "index") for _ in range(3)]
    before = listed(opened[0])
    all_differ_in_time(root)
    refusing.number = number
    opened[0].refresh()
    assert any(problem.code == "unreadable" for row in listed(opened[0]).values() for problem in row.problems)
    opened[0].close()
    refusing.number = 0
    clock.now += FIRST_PAUSE_MS
    opened[1].refresh()
    expected = listed(TaskHistory([root], now=clock))
    assert expected.keys() == before.keys()
    assert listed(opened[1]) == expected
    opened[1].close()
    assert listed(opened[2]) == expected


@pytest.mark.parametrize(
    "root, name",
    [("copilot", "workspace.yaml"), ("qwen", ".meta.json"), ("cline", ".json")],
    indirect=["root"],
)
def test_a_file_next_to_the_messages_is_read_again_too(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    expected = listed(TaskHistory([root], now=clock))
    names = [each.name for each in root.rglob(f"*{name}") if not each.name.endswith(".messages.json")]
    refusing = Refusing(monkeypatch, *names)
    history = TaskHistory([root], now=clock)
    refusing.number = errno.EMFILE
    assert listed(history) != expected
    refusing.number = 0
    clock.now += FIRST_PAUSE_MS
    assert listed(history) == listed(TaskHistory([root], now=clock))
    assert not any(row.problems for row in listed(history).values() if not expected[row.id].problems)


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_list_that_cannot_be_read_for_a_moment_is_read_again(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    store.write(ui=[say("text", "Fix the parser")], api=[])
    path = store.path / "state" / "taskHistory.json"
    path.parent.mkdir()
    entry = {"id": TASK_ID, "ts": NOW, "task": "Fix the parser", "isFavorited": True}
    path.write_text(json.dumps([entry]))
    refusing, history = Refusing(monkeypatch, path.name), TaskHistory([store.path], now=lambda: NOW)
    (task,) = history.list()
    assert task.favorite
    path.write_text(json.dumps([{**entry, "isFavorited": False}]))
    refusing.number = errno.EMFILE
    assert [task.favorite for task in history.list()] == [True]
    refusing.number = 0
    if is_removed:
        path.unlink()
    assert [bool(task.favorite) for task in history.list()] == [False]


def test_a_project_of_gemini_whose_folder_cannot_be_read_for_a_moment_is_known_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    STORES["gemini"](tmp_path, 7, 1)
    expected = listed(TaskHistory([tmp_path], now=Clock()))
    refusing = Refusing(monkeypatch, ".project_root", "projects.json")
    refusing.number = errno.EIO
    history = TaskHistory([tmp_path], now=Clock())
    assert listed(history) != expected
    refusing.number = 0
    assert listed(history) == expected
    for path in (tmp_path / "projects.json", *tmp_path.rglob(".project_root")):
        os.utime(path, (1_000, 1_000))
    refusing.number = errno.EIO
    assert listed(history) == expected


def test_a_file_that_stays_unreadable_is_tried_ever_more_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(tmp_path / "claude")
    refusing, clock = Refusing(monkeypatch, f"{SESSION}.jsonl"), Clock()
    refusing.number = errno.EACCES
    history = TaskHistory([tmp_path / "claude"], now=clock, cache=tmp_path / "index")
    history.refresh()
    tried: list[int] = []
    for minute in range(1, 6 * 60):
        before, clock.now = refusing.tries, NOW_MS + minute * 60_000
        assert not history.refresh().any()
        tried += [minute] if refusing.tries > before else []
        if minute % 50 == 0:  # the pause is kept between processes
            history.close()
            history = TaskHistory([tmp_path / "claude"], now=clock, cache=tmp_path / "index")
            history.refresh()
    assert tried[:6] == [1, 3, 7, 15, 31, 63]
    assert {later - earlier for earlier, later in pairwise(tried[6:])} == {60}
    assert LONGEST_PAUSE_MS == 60 * 60_000


def test_a_file_that_changes_is_read_at_once_and_then_tried_often_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_session(tmp_path / "claude")
    refusing, clock = Refusing(monkeypatch, f"{SESSION}.jsonl"), Clock()
    refusing.number = errno.EACCES
    history = TaskHistory([tmp_path / "claude"], now=clock)
    history.refresh()
    clock.now += FIRST_PAUSE_MS
    history.refresh()
    os.utime(path, (1_000, 1_000))
    before = refusing.tries
    history.refresh()
    assert refusing.tries > before
    refusing.number = 0
    clock.now += FIRST_PAUSE_MS
    assert [row.title for row in history.list()] == ["Fix the parser"]


def test_a_child_that_stays_unreadable_never_announces_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "claude"
    child = with_subagent(root)
    refusing, clock = Refusing(monkeypatch, child.name), Clock()
    history = TaskHistory([root], now=clock)
    assert len(history.refresh().added) == 2
    refusing.number = errno.EACCES
    os.utime(child, (1_000, 1_000))
    assert history.refresh().changed == sorted([SESSION, "agent-a1"])
    for _ in range(4):
        clock.now += LONGEST_PAUSE_MS
        before = refusing.tries
        assert not history.refresh().any()
        assert refusing.tries > before
    refusing.number = 0
    clock.now += LONGEST_PAUSE_MS
    assert history.refresh().changed == sorted([SESSION, "agent-a1"])


def test_a_parent_is_announced_when_its_child_is_removed(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    child = with_subagent(root)
    history = TaskHistory([root], now=Clock())
    history.refresh()
    assert history.select(Selection())[0].id == SESSION
    child.unlink()
    changes = history.refresh()
    assert (changes.removed, changes.changed) == (["agent-a1"], [SESSION])


def test_a_row_keeps_what_an_older_pause_says_when_it_is_read_in_between() -> None:
    common = b',"problems":[{"code":"unreadable","message":""}]}'
    first = IndexRow("a", 1, b"", NOW_MS, None, "unknown", 1, b'"id":"a"', common)
    kept = KeptRows()
    kept.replace(kept.with_pauses({"a": first}, 0))  # type: ignore[arg-type]
    for now, pause, until in ((1, 1, 1), (FIRST_PAUSE_MS - 1, 1, 1), (FIRST_PAUSE_MS, 2, 3)):
        again = kept.with_pauses({"a": first}, now)["a"]
        assert again is not None
        assert (again.pause, again.until) == (pause * FIRST_PAUSE_MS, until * FIRST_PAUSE_MS)
