"""A file that its product saves in place is empty or half written for a moment: that is not damage."""

import os
from pathlib import Path

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from sidecar.history.stores.sessions import saving
from tests.history.conftest import NOW, Store
from tests.history.saving import API, UI, contents

SAVED = NOW / 1_000


class Clock:
    """The time of the machine, in seconds."""

    def __init__(self) -> None:
        self.seconds = SAVED + 0.1

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(saving, "wall_seconds", found)
    return found


@pytest.fixture
def history(store: Store, clock: Clock) -> TaskHistory:
    files = contents(1)
    folder = store.write(ui=files[UI], api=files[API])
    for file in folder.iterdir():
        os.utime(file, (SAVED - 60, SAVED - 60))
    return TaskHistory([store.path], now=lambda: int(clock.seconds * 1_000))


def begin_save(store: Store, name: str, size: int) -> Path:
    """Leave of a file's next version what its product has written so far."""
    path = next(store.path.glob(f"tasks/*/{name}"))
    path.write_bytes(contents(2)[name][:size])
    os.utime(path, (SAVED, SAVED))
    return path


def listed(history: TaskHistory) -> TaskInfo:
    (task,) = history.list()
    return task


@pytest.mark.parametrize("size", [0, 1, 60])
@pytest.mark.parametrize("name", [UI, API])
def test_a_list_shows_the_task_as_it_was_until_its_file_is_whole(
    store: Store, history: TaskHistory, name: str, size: int
) -> None:
    before = listed(history)
    path = begin_save(store, name, size)
    assert listed(history) == before
    path.write_bytes(contents(2)[name])
    os.utime(path, (SAVED, SAVED))
    after = listed(history)
    assert after.problems == []
    assert (after == before) is (name == API)


def test_what_stays_half_written_is_damage(store: Store, history: TaskHistory, clock: Clock) -> None:
    listed(history)
    begin_save(store, UI, 60)
    listed(history)
    clock.seconds += saving.RECENT_SECONDS + 1
    assert [problem.code for problem in listed(history).problems] == ["cut"]


def test_the_guide_reads_what_is_there(store: Store, history: TaskHistory) -> None:
    assert len(history.list(rules="guide")) == 1
    begin_save(store, UI, 0)
    assert history.list(rules="guide") == []
