"""Lists are right while other processes save tasks without pause."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from sidecar.history.live import LiveHistory
from tests.history.conftest import Store
from tests.history.saving import FIRST_MS, contents

REPO = Path(__file__).parents[2]
TASKS = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(50)]
WRITERS = 2
LISTS = 64
"""Of 50 tasks each, in one way of reading."""
VERSIONS = 500
"""How many saves must have been seen: a list may come sooner than anything changes."""


@pytest.fixture
def saved(store: Store) -> Iterator[Store]:
    """A root whose tasks are being saved, by several processes, until the test ends."""
    for task_id in TASKS:
        files = contents(1)
        store.write(ui=files["ui_messages.json"], api=files["api_conversation_history.json"], task_id=task_id)
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.history.saving", store.path, *TASKS[place::WRITERS]], cwd=REPO
        )
        for place in range(WRITERS)
    ]
    yield store
    for writer in writers:
        assert writer.poll() is None, "a writer failed"
        writer.kill()
        writer.wait(10)


@contextlib.contextmanager
def followed(path: Path, cache: Path) -> Iterator[Callable[[], list[TaskInfo]]]:
    """One history that a thread keeps up to date, as in a server."""
    history = TaskHistory([path], cache=cache)
    live = LiveHistory(history, announce=lambda _: None, reconcile_seconds=0.2)
    live.start()
    try:
        yield history.list
    finally:
        live.close(10)


@contextlib.contextmanager
def alone(path: Path, _cache: Path) -> Iterator[Callable[[], list[TaskInfo]]]:
    """One history that reads the files for every list."""
    yield TaskHistory([path]).list


@contextlib.contextmanager
def afresh(path: Path, cache: Path) -> Iterator[Callable[[], list[TaskInfo]]]:
    """A history for each list with the index of the last one, as on the command line."""

    def read() -> list[TaskInfo]:
        history = TaskHistory([path], cache=cache)
        try:
            return history.list()
        finally:
            history.close()

    yield read


def wrong(task: TaskInfo, newest: dict[str, int]) -> str | None:
    """Describe what is wrong with a row: a problem, a mixture of saves, or values older than before."""
    usage = task.token_usage
    number = usage.input if usage is not None else None
    if task.problems:
        return f"{task.id}: {task.problems}"
    if task.title != "steady" or number is None or task.last_activity != FIRST_MS + number:
        return f"{task.id}: a mixture: {task}"
    if number < newest.get(task.id, 0):
        return f"{task.id}: save {number} after save {newest[task.id]}"
    newest[task.id] = int(number)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("read_by", [followed, alone, afresh], ids=lambda read_by: read_by.__name__)
def test_no_reading_of_a_task_that_is_being_saved_shows_a_problem(
    saved: Store,
    tmp_path: Path,
    read_by: Callable[[Path, Path], contextlib.AbstractContextManager[Callable[[], list[TaskInfo]]]],
) -> None:
    found: list[str] = []
    newest: dict[str, int] = {}
    readings = versions = 0
    with read_by(saved.path, tmp_path / "cache") as read:
        while readings < LISTS * len(TASKS) or versions < VERSIONS:
            tasks, before = read(), dict(newest)
            assert len(tasks) == len(TASKS)
            found += filter(None, (wrong(task, newest) for task in tasks))
            readings += len(tasks)
            versions += sum(newest[name] != before.get(name) for name in newest)
            assert found == []


@pytest.mark.slow
def test_a_task_opened_while_it_is_saved_shows_no_problem(saved: Store) -> None:
    history = TaskHistory([saved.path])
    opened = [history.get(task_id)[0] for _ in range(4) for task_id in TASKS]
    assert [task.problems for task in opened if task.problems] == []
