import os
import threading
import time
from pathlib import Path

import pytest

from sidecar.history import leftovers
from sidecar.history.reading import read_task
from tests.history.conftest import Store

UI = "ui_messages.json"


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


def test_a_file_that_is_away_for_a_moment_is_waited_for(tmp_path: Path) -> None:
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


def test_an_orphaned_lock_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / f"{UI}.lock").mkdir()
    os.utime(tmp_path / f"{UI}.lock", (1, 1))
    assert not leftovers.is_unsettled(str(tmp_path), read_task(str(tmp_path), False))


@pytest.mark.parametrize("new", [b'[{"ts":2}]', b'[{"ts":'], ids=["whole", "half"])
def test_the_newest_whole_leftover_is_taken(tmp_path: Path, new: bytes) -> None:
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
def test_an_older_name_and_a_first_save_cut_short_are_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b'[{"ts":1}]')
    files = leftovers.recover(str(tmp_path), read_task(str(tmp_path), False))
    assert files.ui.data == b'[{"ts":1}]' and name in files.ui.problems[0].message
    assert files.api.absent


def test_a_file_of_the_older_name_is_no_save_to_wait_for(tmp_path: Path) -> None:
    (tmp_path / "claude_messages.json").write_bytes(b"[]")
    assert not leftovers.is_unsettled(str(tmp_path), read_task(str(tmp_path), False))
