"""Whole roots that are deleted, renamed, replaced or made, found without any sweep."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from sidecar.history import TaskHistory
from sidecar.history.live import LiveHistory
from sidecar.history.live.watcher import Watch
from sidecar.history.task_history import Changes
from tests.history.conftest import TASK_ID, Store
from tests.history.live.conftest import NEVER, OTHER, Follow, Follower, Make, until

NOBODY = 65534


def change_root(root: Path, other: Path) -> None:
    root.rename(root.with_name("away"))
    other.rename(root)


def change_link(root: Path, other: Path) -> None:
    root.rename(root.with_name("away"))
    root.symlink_to(other)


def change_tasks(root: Path, other: Path) -> None:
    (root / "tasks").rename(root / "away")
    (other / "tasks").rename(root / "tasks")


def ids(follower: Follower) -> list[str]:
    return sorted(follower.history.catalogs[0].rows("structural"))


def remove(root: Path) -> None:
    shutil.rmtree(root)


def rename(root: Path) -> None:
    root.rename(root.with_name("away"))


def rename_tasks(root: Path) -> None:
    (root / "tasks").rename(root / "away")


def replace_tasks_by_a_file(root: Path) -> None:
    rename_tasks(root)
    (root / "tasks").touch()


@pytest.mark.parametrize("vanish", [remove, rename, rename_tasks, replace_tasks_by_a_file])
def test_a_root_that_vanishes_is_empty(
    store: Store, say: Make, follow: Follow, vanish: Callable[[Path], None]
) -> None:
    for number in range(30):
        store.write(ui=[say("text", "x")], task_id=f"{number:08d}-0000-4000-8000-000000000000")
    follower = follow()
    assert len(follower.next().added) == 30
    follower.until_mode("watch")
    vanish(store.path)
    until(lambda: ids(follower) == [], "an empty root")
    assert follower.history.list() == []
    until(lambda: follower.live.state.mode == "poll", "the end of the watches")


@pytest.mark.parametrize("change", [change_root, change_link, change_tasks])
def test_a_root_in_the_place_of_another_is_read_and_watched(
    tmp_path: Path, store: Store, say: Make, follow: Follow, change: Callable[[Path, Path], None]
) -> None:
    store.write(ui=[say("text", "x")])
    other = Store(tmp_path / "other")
    other.write(ui=[say("text", "y")], task_id=OTHER)
    follower = follow()
    assert follower.next().added == [TASK_ID]
    follower.until_mode("watch")
    change(store.path, other.path)
    until(lambda: ids(follower) == [OTHER], "the other root's task")
    store.write(ui=[say("text", "new")], task_id=OTHER)
    until(lambda: follower.history.list()[0].title == "new", "the change in the other root")


def test_a_root_with_the_same_tasks_is_read_too(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    rename(store.path)
    store.write(ui=[say("text", "other")])
    until(lambda: [task.title for task in follower.history.list()] == ["other"], "the other title")


def test_a_root_that_is_moved_back_is_read_and_watched(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    rename(store.path)
    until(lambda: ids(follower) == [], "an empty root")
    store.path.with_name("away").rename(store.path)
    until(lambda: ids(follower) == [TASK_ID], "the task")
    follower.until_mode("watch")
    store.write(ui=[say("text", "new")])
    until(lambda: follower.history.list()[0].title == "new", "the change")


def test_a_second_root_may_be_made_later(tmp_path: Path, store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")])
    later = Store(tmp_path / "later")
    history = TaskHistory([store.path, later.path])
    live = LiveHistory(history, lambda _: None, reconcile_seconds=NEVER)
    live.start()
    until(lambda: live.state.mode == "watch", "watches")
    later.write(ui=[say("text", "y")], task_id=OTHER)
    until(lambda: {task.id for task in history.list()} == {TASK_ID, OTHER}, "the later root's task")
    until(lambda: live.state.watches == 4, "watches on the later root")
    live.close(5)


def test_a_root_that_vanishes_while_watches_are_opened_is_empty(
    store: Store, say: Make, follow: Follow
) -> None:
    @contextmanager
    def refuse(folders: Sequence[str], stop: Event) -> Iterator[Watch]:
        raise FileNotFoundError(folders[0])
        yield

    store.write(ui=[say("text", "x")])
    follower = follow(open_watch=refuse)
    follower.next()
    shutil.rmtree(store.path)
    assert follower.next() == Changes([], [], [TASK_ID])


@contextmanager
def as_nobody() -> Iterator[None]:
    """Drop root's power to read everything, if we have it."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_root_whose_permission_comes_back_is_read_and_watched(say: Make) -> None:
    with as_nobody(), tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        store.write(ui=[say("text", "x")])
        follower = Follower(store, reconcile_seconds=NEVER).start()
        follower.next()
        follower.until_mode("watch")
        (store.path / "tasks").chmod(0)
        until(lambda: ids(follower) == [], "an empty root")
        (store.path / "tasks").chmod(0o700)
        until(lambda: ids(follower) == [TASK_ID], "the task")
        follower.until_mode("watch")
        store.write(ui=[say("text", "new")])
        until(lambda: follower.history.list()[0].title == "new", "the change")
        follower.live.close(5)
