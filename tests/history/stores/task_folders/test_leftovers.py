import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.catalog.comparison import changed_names
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.search.build import current_versions
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.contract import Root
from sidecar.history.stores.task_folders import leftovers
from sidecar.history.stores.task_folders.files import read_task
from sidecar.history.stores.task_folders.reader import TaskReader
from sidecar.history.stores.task_folders.scan import fingerprints
from tests.history.conftest import TASK_ID, Store

UI = "ui_messages.json"
API = "api_conversation_history.json"
Later = Callable[[float], None]
Make = Callable[..., dict[str, Any]]


def save_like_roo(folder: Path, data: bytes, between: threading.Event | None = None) -> None:
    """The six steps in which the product saves; `between` is set while there is no file."""
    lock, new, old = folder / f"{UI}.lock", folder / f".{UI}.new_1_a.tmp", folder / f".{UI}.bak_1_a.tmp"
    lock.mkdir()
    new.write_bytes(data)
    os.replace(folder / UI, old)
    if between is not None:
        between.set()
    os.replace(new, folder / UI)
    old.unlink()
    lock.rmdir()


def test_a_file_that_is_briefly_absent_is_awaited(tmp_path: Path) -> None:
    (tmp_path / f"{UI}.lock").mkdir()
    files = read_task(str(tmp_path), False)
    assert leftovers.is_unsettled(str(tmp_path), files)
    (tmp_path / "new").write_bytes(b"[]")
    timer = threading.Timer(0.05, (tmp_path / "new").replace, [tmp_path / UI])
    timer.start()
    settled = leftovers.settle(str(tmp_path), files)
    timer.join()
    assert settled.ui.data == b"[]" and not settled.ui.problems


def test_waiting_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / f"{UI}.lock").mkdir()
    started = time.monotonic()
    settled = leftovers.settle(str(tmp_path), read_task(str(tmp_path), False), seconds=0.1)
    assert settled.ui.absent and time.monotonic() - started < 5


def test_an_orphaned_lock_is_not_awaited(tmp_path: Path) -> None:
    (tmp_path / f"{UI}.lock").mkdir()
    os.utime(tmp_path / f"{UI}.lock", (1, 1))
    assert not leftovers.is_unsettled(str(tmp_path), read_task(str(tmp_path), False))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock that ages are measured by."""

    def move(seconds: float) -> None:
        monkeypatch.setattr(leftovers, "wall_seconds", lambda: time.time() + seconds)

    return move


@pytest.mark.parametrize("new", [b'[{"ts":2}]', b'[{"ts":'], ids=["whole", "half"])
def test_the_newest_whole_leftover_is_taken(tmp_path: Path, new: bytes, later: Later) -> None:
    later(100)
    (tmp_path / f".{UI}.bak_5_a.tmp").write_bytes(b'[{"ts":1}]')
    (tmp_path / f".{UI}.new_5_a.tmp").write_bytes(new)
    file = leftovers.recover(str(tmp_path), read_task(str(tmp_path), False)).ui
    assert file.data == (new if new.endswith(b"]") else b'[{"ts":1}]')
    assert [problem.code for problem in file.problems] == ["recovered"]


def test_a_list_during_saves_never_loses_the_task(store: Store) -> None:
    folder = store.write(ui=[{"ts": 1, "type": "say", "say": "text", "text": "steady"}], api=[])
    data = (folder / UI).read_bytes()
    stop = threading.Event()

    def keep_saving() -> None:
        while not stop.is_set():
            save_like_roo(folder, data)

    writer = threading.Thread(target=keep_saving)
    writer.start()
    try:
        titles = {task.title for _ in range(150) for task in store.history.list()}
        opened = {store.history.get(folder.name)[0].title for _ in range(20)}
    finally:
        stop.set()
        writer.join(10)
    assert titles == opened == {"steady"}


@pytest.mark.parametrize("name", ["claude_messages.json", f"{UI}.tmp.1770000000000.x1.json"])
def test_an_older_name_and_a_first_save_cut_short_are_taken(tmp_path: Path, name: str, later: Later) -> None:
    later(100)
    (tmp_path / name).write_bytes(b'[{"ts":1}]')
    files = leftovers.recover(str(tmp_path), read_task(str(tmp_path), False))
    assert files.ui.data == b'[{"ts":1}]' and name in files.ui.problems[0].message
    assert files.api.absent


def test_a_file_of_the_older_name_is_not_a_save_to_wait_for(tmp_path: Path) -> None:
    (tmp_path / "claude_messages.json").write_bytes(b"[]")
    assert not leftovers.is_unsettled(str(tmp_path), read_task(str(tmp_path), False))


LEFT = [f".{UI}.bak_1_a.tmp", f".{UI}.new_1_a.tmp", f"{UI}.tmp.1770000000000.x1.json"]


def leave(folder: Path, lock: str, name: str) -> None:
    """Leave a folder as a crash between the two renames does."""
    (folder / UI).rename(folder / name)
    if lock:
        (folder / f"{UI}.lock").mkdir()


def codes(store: Store) -> list[str]:
    return [problem.code for problem in store.task().problems]


@pytest.mark.parametrize("lock", ["locked", ""], ids=["locked", "not locked"])
@pytest.mark.parametrize("name", LEFT)
def test_a_crash_in_a_save_is_reported_when_the_save_can_no_longer_be_in_progress(
    store: Store, say: Make, later: Later, lock: str, name: str
) -> None:
    store.now = int(time.time() * 1000)
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    before = store.task()
    leave(folder, lock, name)
    during = store.task()
    assert (during.title, during.problems) == ("a prompt", [])
    for seconds in (20, 60):
        later(seconds)
        store.now += seconds * 1000
        assert codes(store) == ([] if seconds == 20 else ["recovered"])
    assert store.task().title == before.title


def test_the_row_of_a_save_under_way_is_trusted_until_its_age_is_over(
    store: Store, say: Make, later: Later
) -> None:
    """Nothing on the disk changes after a crash, so that only the time can tell."""
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    leave(folder, "locked", LEFT[0])
    reader = TaskReader(Root(str(store.path), True, None))
    started = int(time.time() * 1000)
    (row,) = reader.rows([folder.name], "structural", started).values()
    assert row is not None
    assert 0 < row.until - started <= leftovers.LOCK_STALE_SECONDS * 1000 + 1
    seen = fingerprints(reader.root, [folder.name])
    assert changed_names(seen, {folder.name: row}, {}, started) == [folder.name]
    later(100)
    (row,) = reader.rows([folder.name], "structural", row.until).values()
    assert row is not None
    assert changed_names(seen, {folder.name: row}, {}, started + 10**6) == []


def test_followed_rows_are_not_trusted_when_a_save_can_no_longer_be_in_progress(
    store: Store, say: Make
) -> None:
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    leave(folder, "locked", LEFT[0])
    catalog = RootCatalog(Root(str(store.path), True, None))
    now = int(time.time() * 1000)
    catalog.scan("structural", now)
    catalog.scan_seconds = 10
    assert catalog.followed_rows("structural", now) is not None
    assert catalog.followed_rows("structural", now + 32_000) is None


@pytest.mark.parametrize(("age", "expected"), [(-4, []), (-6, ["recovered"]), (30, []), (32, ["recovered"])])
def test_only_a_lock_of_a_sane_age_shows_a_save(
    store: Store, say: Make, later: Later, age: int, expected: list[str]
) -> None:
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    leave(folder, "locked", LEFT[0])
    later(1_000)  # the leftover is old
    touched = time.time() + 1_000 - age
    os.utime(folder / f"{UI}.lock", (touched, touched))
    assert codes(store) == expected


def test_a_leftover_from_the_future_is_not_a_save(store: Store, say: Make, later: Later) -> None:
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    leave(folder, "", LEFT[0])
    later(-10)
    assert codes(store) == ["recovered"]


@pytest.mark.parametrize("name", [UI, API])
def test_a_file_that_is_saved_for_the_first_time_is_not_missing(
    store: Store, say: Make, later: Later, name: str
) -> None:
    folder = store.write(ui=[say("text", "a prompt"), say("api_req_started", "{}")], api=[])
    (folder / name).unlink()
    (folder / f"{name}.lock").mkdir()
    (folder / f".{name}.new_1_a.tmp").write_bytes(b'[{"ts":')
    assert codes(store) == []
    later(100)
    assert codes(store) == ["missing"]


def test_a_save_that_ends_while_its_leftover_is_read_gives_the_new_file(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    (folder / UI).rename(folder / LEFT[0])
    absent = read_task(str(folder), False)

    def end_the_save(path: str, name: str) -> StoredFile:
        found = read_file(path, name)
        if name == LEFT[0]:
            (folder / UI).write_bytes(b"[{}]")
            (folder / name).unlink()
        return found

    monkeypatch.setattr(leftovers, "read_file", end_the_save)
    file = leftovers.recover(str(folder), absent).ui
    assert (file.data, file.problems) == (b"[{}]", ())


BAK = f".{UI}.bak_1_a.tmp"
FORMER = "claude_messages.json"


@pytest.mark.usefixtures("long_after")
@pytest.mark.parametrize("leftover", [BAK, FORMER])
def test_a_leftover_that_goes_takes_its_content_along(store: Store, say: Make, leftover: str) -> None:
    folder = store.write(ui=[say("text", "a prompt")], api=[])
    (folder / UI).rename(folder / leftover)
    assert (store.task().title, codes(store)) == ("a prompt", ["recovered"])
    (folder / leftover).unlink()
    assert (store.task().title, codes(store)) == ("(no messages)", ["missing"])


@pytest.mark.usefixtures("long_after")
@pytest.mark.parametrize("leftover", [BAK, FORMER, f"{UI}.tmp.1.a.json"])
def test_a_leftover_in_a_folder_known_as_empty_makes_it_a_task(
    store: Store, say: Make, leftover: str
) -> None:
    folder = store.write()
    assert store.history.list() == []
    (folder / leftover).write_text(json.dumps([say("text", "a prompt")]))
    assert store.task().title == "a prompt"


@pytest.mark.usefixtures("long_after")
def test_a_task_with_another_leftover_is_another_version_to_search(tmp_path: Path, say: Make) -> None:
    folder = tmp_path / "tasks" / TASK_ID
    folder.mkdir(parents=True)
    (folder / API).write_text("[]")
    versions = [current_versions(str(tmp_path))]
    (folder / BAK).write_text(json.dumps([say("text", "a prompt")]))
    versions.append(current_versions(str(tmp_path)))
    assert versions[0] != versions[1]
