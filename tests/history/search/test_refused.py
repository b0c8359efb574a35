"""The messages of a task that cannot be read for a moment are indexed later, though no file changes."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.search import SearchParams, SearchResult
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS, LONGEST_PAUSE_MS
from sidecar.history.search import SearchService, service, worker
from sidecar.history.search.build import update
from sidecar.history.search.store import SearchStore, store_path
from tests.history.conftest import TASK_ID, Store
from tests.history.stores.fixtures.one_session import SESSION, write_session


class Machine:
    """A clock, an index, and the opening of files in `ends`, which fails while `number` is set."""

    def __init__(self, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.number, self.tries = NOW_MS, 0, 0
        self.ends: tuple[str, ...] = (".jsonl", "_messages.json")
        self.root, self.index = root, tmp_path / "index"
        self.history = TaskHistory([root], now=lambda: self.now)
        self.service = SearchService(self.index, wait_seconds=30)
        self._open = os.open
        monkeypatch.setattr(os, "open", self)
        monkeypatch.setattr(service, "clock_ms", lambda: self.now)
        monkeypatch.setattr(worker, "start", self._no_worker)

    def __call__(self, path: Any, *arguments: Any, **options: Any) -> int:
        if self.number and isinstance(path, str) and path.endswith(self.ends):
            self.tries += 1
            raise OSError(self.number, os.strerror(self.number), path)
        return self._open(path, *arguments, **options)

    def _no_worker(self, *_: object) -> Any:
        raise AssertionError("there is nothing to index now")

    def search(self, text: str) -> SearchResult:
        update(self.index, str(self.root), now=lambda: self.now)
        return self.service.search(self.history, SearchParams(text=text))


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Machine]]:
    path = write_session(tmp_path / "sessions")
    machine = Machine(tmp_path, tmp_path / "sessions", monkeypatch)
    machine.history.list()
    yield path, machine
    machine.service.close()


def append(path: Path, text: str) -> None:
    record = json.loads(path.read_bytes().split(b"\n")[0])
    record |= {"uuid": text, "message": {"role": "user", "content": text}}
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
def test_a_session_that_could_not_be_read_is_found_after_the_pause(
    session: tuple[Path, Machine], number: int
) -> None:
    path, machine = session
    append(path, "zucchini")
    machine.number = number
    named = (machine.search("zucchini").partly_searched or [])[0]
    assert (named.task_id, os.strerror(number) in named.message) == (SESSION, True)
    machine.number = 0
    assert machine.search("zucchini").hits == []
    machine.now += FIRST_PAUSE_MS
    found = machine.search("zucchini")
    assert ([hit.task_id for hit in found.hits], found.partly_searched) == ([SESSION], None)


def test_what_was_indexed_is_found_while_the_session_cannot_be_read(session: tuple[Path, Machine]) -> None:
    path, machine = session
    append(path, "zucchini")
    assert machine.search("zucchini").hits
    append(path, "aubergine")
    machine.number = errno.EIO
    found = machine.search("zucchini")
    assert found.hits and found.partly_searched
    assert found.indexed == found.total
    machine.number = 0
    machine.now += FIRST_PAUSE_MS
    assert machine.search("aubergine").hits


def test_a_session_that_stays_unreadable_is_tried_ever_more_rarely(session: tuple[Path, Machine]) -> None:
    _, machine = session
    machine.number, tried = errno.EIO, []
    for minute in range(190):
        before = machine.tries
        update(machine.index, str(machine.root), now=lambda: machine.now)
        if machine.tries > before:
            tried.append(minute)
        machine.now += FIRST_PAUSE_MS
    assert tried == [0, 1, 3, 7, 15, 31, 63, 123, 183]


def test_a_changed_session_is_tried_at_once(session: tuple[Path, Machine]) -> None:
    path, machine = session
    machine.number = errno.EIO
    machine.search("zucchini")
    machine.number = 0
    append(path, "zucchini")
    assert machine.search("zucchini").hits


def test_a_clock_that_goes_back_lengthens_no_pause(session: tuple[Path, Machine]) -> None:
    path, machine = session
    append(path, "zucchini")
    machine.number = errno.EIO
    machine.search("zucchini")
    machine.number = 0
    machine.now -= LONGEST_PAUSE_MS
    assert machine.search("zucchini").hits


def test_a_task_with_one_unreadable_file_is_found_by_the_other(
    store: Store, say: Any, user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(ui=[say("text", "zucchini")], api=[user("aubergine")])
    machine = Machine(tmp_path, store.path, monkeypatch)
    machine.number, machine.ends = errno.EIO, ("ui_messages.json",)
    machine.history = TaskHistory([store.path], now=lambda: machine.now)
    found = machine.search("aubergine")
    assert [hit.task_id for hit in found.hits] == [TASK_ID]
    machine.number = 0
    machine.now += FIRST_PAUSE_MS
    assert machine.search("zucchini").hits
    machine.service.close()


def test_a_refused_task_does_not_undo_those_indexed_with_it(tmp_path: Path) -> None:
    with closing(SearchStore(store_path(tmp_path, "root"))) as opened:
        with opened.together():
            opened.replace("a", "1", ())
            with pytest.raises(ValueError, match="refused"):
                opened.replace("b", "1", _failing())
            opened.replace("c", "1", ())
        assert opened.versions() == {"a": "1", "c": "1"}


def _failing() -> Iterator[Any]:
    raise ValueError("refused")
    yield
