"""How often a store of files searches for the files of its sessions."""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecar.history.stores.codex.store import CodexStore
from sidecar.history.stores.contract import Root
from sidecar.history.stores.sessions.file_store import SessionFiles

KEYS = ["a", "b", "c", "d"]


class Searched(CodexStore):
    """A store whose search takes two seconds of a clock that only the search and the test advance."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(Root(str(path)))
        self.now, self.searches, self.keys = 100.0, 0, KEYS
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def find(self) -> Mapping[str, SessionFiles]:
        self.searches += 1
        self.now += 2.0
        return {key: SessionFiles((f"/nowhere/{key}",)) for key in self.keys}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Searched:
    return Searched(tmp_path, monkeypatch)


def test_batches_of_rows_do_not_search_each(store: Searched) -> None:
    store.members()
    for key in KEYS:
        store.rows([key], "structural", 0)
    assert store.searches == 1


def test_rows_search_again_after_ten_times_the_time_of_a_search(store: Searched) -> None:
    store.members()
    store.now += 19.9
    store.rows(KEYS, "structural", 0)
    assert store.searches == 1
    store.now += 0.1
    store.rows(KEYS, "structural", 0)
    assert store.searches == 2


def test_rows_search_for_a_session_that_is_not_known(store: Searched) -> None:
    store.members()
    store.keys = [*KEYS, "new"]
    assert set(store.rows(["new"], "structural", 0)) == {"new"}
    assert store.searches == 2


def test_members_are_searched_each_time(store: Searched) -> None:
    store.members()
    store.existing(KEYS)
    assert store.searches == 2
