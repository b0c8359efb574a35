import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.live import follower as module
from sidecar.history.live.sweep import STEPS
from sidecar.history.live.watcher import ChangesLost, Watch, WatchUnavailable
from sidecar.history.stores.sessions import saving
from sidecar.history.stores.task_folders import leftovers
from sidecar.history.task_history import Changes
from tests.history.conftest import TASK_ID, Store
from tests.history.live.conftest import NEVER, OTHER, WAIT_SECONDS, FakeWatch, Follow, Follower, Make, until
from tests.history.saving import UI, contents
from tests.history.stores.fixtures.one_session import write_session


def save_like_roo(path: Path, data: bytes) -> None:
    """Rename the old file away and the new one in."""
    new, old = (path.with_name(f".{path.name}.{kind}_1_a.tmp") for kind in ("new", "bak"))
    new.write_bytes(data)
    os.replace(path, old)
    os.replace(new, path)
    old.unlink()


def test_the_first_scan_reports_tasks_as_added(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    assert follow().next() == Changes([TASK_ID], [], [])


def test_tasks_already_listed_are_not_reported(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    follower = Follower(store, reconcile_seconds=NEVER)
    follower.history.list()
    follower.start().until_mode("watch")
    follower.live.close(5)
    assert follower.announced.empty()


@pytest.mark.parametrize("save", [save_like_roo, Path.write_bytes], ids=["renamed", "overwritten"])
def test_a_save_is_reported(
    store: Store, say: Make, follow: Follow, save: Callable[[Path, bytes], object]
) -> None:
    folder = store.write(ui=[say("text", "x")])
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    save(folder / "ui_messages.json", b'[{"ts":1776247196051,"type":"say","say":"text","text":"new"}]')
    assert follower.next() == Changes([], [TASK_ID], [])
    assert follower.history.list()[0].title == "new"


def test_a_new_task_is_reported_and_watched(store: Store, say: Make, follow: Follow) -> None:
    (store.path / "tasks").mkdir(parents=True)
    follower = follow()
    follower.until_mode("watch")
    store.write(ui=[say("text", "first")], task_id=OTHER)
    assert follower.next() == Changes([OTHER], [], [])
    store.write(ui=[say("text", "second")], task_id=OTHER)
    assert follower.next() == Changes([], [OTHER], [])


def test_many_new_tasks_at_once_are_all_reported(store: Store, say: Make, follow: Follow) -> None:
    (store.path / "tasks").mkdir(parents=True)
    follower = follow()
    follower.until_mode("watch")
    ids = {f"{number:08x}-0000-4000-8000-000000000000" for number in range(100)}
    for task_id in ids:
        store.write(ui=[say("text", "x")], task_id=task_id)
    reported: set[str] = set()
    while reported < ids:
        reported.update(follower.next().added)
    assert reported == ids


def test_a_removed_task_is_reported(store: Store, say: Make, follow: Follow) -> None:
    folder = store.write(ui=[say("text", "x")])
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    shutil.rmtree(folder)
    while not (changes := follower.next()).removed:
        pass
    assert changes.removed == [TASK_ID]


def test_a_changed_list_is_reported(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    (store.path / "tasks" / "_index.json").write_text(f'{{"entries":[{{"id":"{TASK_ID}","mode":"code"}}]}}')
    assert follower.next() == Changes([], [TASK_ID], [])


def test_a_link_to_a_root_is_followed_to_it(tmp_path: Path, store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")])
    (tmp_path / "link").symlink_to(store.path)
    follower = Follower(Store(tmp_path / "link"), reconcile_seconds=NEVER).start()
    follower.next()
    follower.until_mode("watch")
    store.write(ui=[say("text", "new")])
    assert follower.next().changed == [TASK_ID]
    follower.live.close(5)


def test_the_next_scan_finds_lost_changes(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    follower = follow(open_watch=FakeWatch(), reconcile_seconds=0.3)
    follower.next()
    follower.until_mode("watch")
    store.write(ui=[say("text", "new")])
    assert follower.next() == Changes([], [TASK_ID], [])


def test_changes_while_watches_are_set_up_are_not_missed(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    fake = FakeWatch()

    @contextmanager
    def slow(folders: Sequence[str], stop: threading.Event) -> Iterator[Watch]:
        store.write(ui=[say("text", "new")])
        with fake(folders, stop) as watch:
            yield watch

    follower = follow(open_watch=slow)
    assert follower.next().added == [TASK_ID]
    assert follower.next().changed == [TASK_ID]


def test_without_enough_watches_tasks_are_polled(store: Store, say: Make, follow: Follow) -> None:
    @contextmanager
    def refuse(folders: Sequence[str], stop: threading.Event) -> Iterator[Watch]:
        raise WatchUnavailable("OS file watch limit reached")
        yield

    store.write(ui=[say("text", "x")])
    follower = follow(open_watch=refuse, poll_seconds=0.05)
    follower.next()
    follower.until_mode("poll")
    assert follower.live.state.watches == 0
    store.write(ui=[say("text", "new")])
    assert follower.next() == Changes([], [TASK_ID], [])


def test_lost_changes_make_all_tasks_checked_again(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    watch = FakeWatch()
    follower = follow(open_watch=watch)
    follower.next()
    follower.until_mode("watch")
    store.write(ui=[say("text", "unheard")], task_id=OTHER)
    watch.changes.put(ChangesLost("too much happened"))
    assert follower.next() == Changes([OTHER], [], [])


def pieces() -> tuple[bytes, bytes, bytes]:
    """The content of a file at three moments, while its product saves it in place."""
    data = contents(2)[UI]
    return b"", data[:-30], data[-30:]


def test_a_file_overwritten_in_place_is_shown_once_it_is_whole(
    store: Store, say: Make, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store.write(ui=[say("text", "x")]) / UI
    monkeypatch.setattr(saving, "wall_seconds", lambda: path.stat().st_mtime)
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    titles = []
    with path.open("wb") as file:  # empty from now on
        for piece in pieces():
            titles += [task.title for task in follower.history.list()]
            file.write(piece)
            file.flush()
    assert titles == ["x"] * 3
    assert follower.next() == Changes([], [TASK_ID], [])
    (task,) = follower.history.list()
    assert (task.title, [each.code for each in task.problems]) == ("steady", ["missing"])


def test_a_file_overwritten_too_slowly_is_shown_at_each_step(
    store: Store, say: Make, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store.write(ui=[say("text", "x")]) / UI
    slow = saving.RECENT_SECONDS + 1
    monkeypatch.setattr(saving, "wall_seconds", lambda: path.stat().st_mtime + slow)
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    reported = []
    with path.open("wb") as file:
        for piece in pieces():
            file.write(piece)
            file.flush()
            reported.append(follower.next())
    assert reported == [Changes([], [TASK_ID], [])] * 3
    (task,) = follower.history.list()
    assert task.title == "steady"


def test_what_a_crash_left_is_read_until_the_file_is_back(
    store: Store, say: Make, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "wall_seconds", lambda: time.time() + 100)
    path = store.write(ui=[say("text", "x")]) / "ui_messages.json"
    left = path.with_name(".ui_messages.json.bak_1770000000001_a.tmp")
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    for old, new, codes in ((path, left, ["recovered"]), (left, path, [])):
        os.replace(old, new)
        assert follower.next() == Changes([], [TASK_ID], [])
        (task,) = follower.history.list()
        assert (task.title, [each.code for each in task.problems]) == ("x", codes)


def test_folders_put_in_the_place_of_others_are_watched(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    fake = FakeWatch()
    follower = follow(open_watch=fake, reconcile_seconds=0.1)
    follower.next()
    follower.until_mode("watch")
    tasks = store.path / "tasks"
    tasks.rename(store.path / "old")
    shutil.copytree(store.path / "old", tasks)
    until(lambda: len(fake.folders) > 1, "another watch")
    assert fake.folders[0] == fake.folders[1] == [str(tasks), str(tasks / TASK_ID)]


def test_folders_that_stay_are_watched_once(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    fake = FakeWatch()
    scans = threading.Semaphore(0)
    follow(open_watch=fake, reconcile_seconds=0.01, after_scan=scans.release)
    for _ in range(15):  # one scan a tick, for longer than REWATCH_SECONDS
        assert scans.acquire(timeout=WAIT_SECONDS)
    assert len(fake.folders) == 1


def test_tasks_are_followed_after_the_work_that_follows_a_scan_failed(
    store: Store, say: Make, follow: Follow, caplog: pytest.LogCaptureFixture
) -> None:
    scans = threading.Semaphore(0)

    def fail() -> None:
        scans.release()
        raise RuntimeError("no such store")

    follower = follow(reconcile_seconds=0.01, after_scan=fail)
    for _ in range(2):
        assert scans.acquire(timeout=WAIT_SECONDS)
    store.write(ui=[say("text", "x")])
    assert follower.next() == Changes([TASK_ID], [], [])
    assert "no such store" in caplog.text


@pytest.mark.parametrize("written", ["task", "list"])
def test_a_steady_writer_is_read_four_times_a_second(
    store: Store, say: Make, follow: Follow, written: str
) -> None:
    folder = store.write(ui=[say("text", "x")])
    index = folder.parent / "_index.json"
    fake = FakeWatch()
    follower = follow(open_watch=fake)
    follower.next()
    follower.until_mode("watch")
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.wait(0.01):
            number += 1
            if written == "task":
                store.write(ui=[say("text", f"title {number}")])
                fake.changes.put({str(folder / "ui_messages.json")})
            else:
                index.write_text(f'{{"entries":[{{"id":"{TASK_ID}","mode":"m{number}"}}]}}')
                fake.changes.put({str(index)})

    writer = threading.Thread(target=write)
    writer.start()
    first = [follower.next() for _ in range(2)]
    stop.wait(2)
    stop.set()
    writer.join(5)
    assert all(changes.changed == [TASK_ID] for changes in first)
    assert follower.announced.qsize() <= 10


def test_other_files_are_ignored(store: Store, say: Make, follow: Follow) -> None:
    folder = store.write(ui=[say("text", "x")])
    fake = FakeWatch()
    follower = follow(open_watch=fake)
    follower.next()
    follower.until_mode("watch")
    store.write(ui=[say("text", "new")])
    noise = [".ui_messages.json.new_1_a.tmp", "ui_messages.json.lock", "ui_messages.json.tmp.1.a.json"]
    fake.changes.put(
        {str(folder / name) for name in noise} | {"/elsewhere", str(store.path / "tasks" / "_x")}
    )
    with pytest.raises(queue.Empty):
        follower.announced.get(timeout=0.5)
    fake.changes.put({str(folder / "ui_messages.json")})
    assert follower.next().changed == [TASK_ID]


def test_nothing_is_written_into_a_root_that_is_followed(store: Store, say: Make, follow: Follow) -> None:
    store.write(ui=[say("text", "x")])
    before = sorted((str(path), path.stat().st_mtime_ns) for path in store.path.rglob("*"))
    follower = follow()
    follower.next()
    follower.until_mode("watch")
    follower.live.close(5)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in store.path.rglob("*")) == before


def test_a_root_may_be_created_later(store: Store, say: Make, follow: Follow) -> None:
    follower = follow(reconcile_seconds=0.2)
    follower.until_mode("poll")
    store.write(ui=[say("text", "x")])
    assert follower.next() == Changes([TASK_ID], [], [])


def test_the_health_reports_the_last_scan(store: Store, follow: Follow) -> None:
    (store.path / "tasks").mkdir(parents=True)
    follower = follow(wall_ms=lambda: 42)
    follower.until_mode("watch")
    assert follower.live.state.last_reconcile_at == 42
    assert follower.live.state.watches == 1


def test_roots_are_checked_in_the_same_wakeup_as_a_step_of_the_sweep(
    store: Store, say: Make, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(ui=[say("text", "x")])
    fake = FakeWatch()
    waits: list[float] = []

    def wait(seconds: float) -> set[str]:
        waits.append(seconds)
        threading.Event().wait(seconds)
        return set()

    monkeypatch.setattr(fake, "wait", wait)
    monkeypatch.setattr(module, "ROOT_CHECK_SECONDS", 0.1)
    scans = threading.Semaphore(0)
    follow(open_watch=fake, reconcile_seconds=STEPS * 0.1, after_scan=scans.release)
    for _ in range(4):  # the first scan, and three rounds
        assert scans.acquire(timeout=WAIT_SECONDS)
    assert len(waits) <= 3 * STEPS + STEPS // 2


def test_a_new_folder_for_sessions_is_watched_soon_however_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOLDERS_A_SECOND", 0.001)
    write_session(tmp_path)
    follower = Follower(Store(tmp_path), reconcile_seconds=NEVER).start()
    follower.next()
    follower.until_mode("watch")
    (tmp_path / "projects" / "-new").mkdir()
    until(lambda: follower.live.state.watches == 3, "a watch of the new folder")
    follower.live.close()


def test_checking_active_tasks_that_did_not_change_reads_nothing(
    store: Store, say: Make, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(ui=[say("text", "x")])
    touched: list[list[str]] = []
    touch = RootCatalog.touch

    def note(catalog: RootCatalog, names: Iterable[str], now: int) -> None:
        touched.append([*names])
        touch(catalog, touched[-1], now)

    monkeypatch.setattr(RootCatalog, "touch", note)
    scans = threading.Semaphore(0)
    follow(open_watch=FakeWatch(), reconcile_seconds=0.05, after_scan=scans.release)
    for _ in range(3):
        assert scans.acquire(timeout=WAIT_SECONDS)
    assert [] not in touched
