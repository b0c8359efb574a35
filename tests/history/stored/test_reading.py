import os
from pathlib import Path

import pytest

from sidecar.history.stored.reading import read_file, stamp_of
from sidecar.history.stores.task_folders.files import read_task, stat_task


def test_a_file_is_read_with_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    file = read_file(str(path), "f")
    assert (file.data, file.stamp, file.problems) == (b"abc", stamp_of(str(path)), ())


def test_an_absent_file_is_not_a_problem(tmp_path: Path) -> None:
    file = read_file(str(tmp_path / "f"), "f")
    assert file.absent and file.stamp is None


def test_a_file_beyond_the_limit_is_refused_with_its_size(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 2_000)
    file = read_file(str(path), "f", limit=1_000)
    assert file.data is None and not file.absent
    assert file.problems[0].message == "f has 2,000 bytes; at most 1,000 are read"


def test_a_pipe_does_not_hold_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    assert [problem.code for problem in read_file(str(tmp_path / "f"), "f").problems] == ["notRegular"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"secret")
    (tmp_path / "f").symlink_to("real")
    file = read_file(str(tmp_path / "f"), "f")
    assert file.data is None and file.problems[0].code == "notRegular"


def test_a_refused_file_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"x")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(os, "open", refuse)
    file = read_file(str(tmp_path / "f"), "f")
    assert file.problems[0].code == "unreadable" and "Permission denied" in file.problems[0].message


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    (tmp_path / "ui_messages.json").mkdir()
    (tmp_path / "history_item.json").write_bytes(b"{}")
    before = len(os.listdir("/proc/self/fd"))
    read_task(str(tmp_path), True)
    assert len(os.listdir("/proc/self/fd")) == before


def test_every_save_changes_the_stamps(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_bytes(b"[]")
    before = stat_task(str(tmp_path), True).stamps
    (tmp_path / "new").write_bytes(b"[]")
    os.utime(tmp_path / "new", ns=(path.stat().st_mtime_ns, path.stat().st_mtime_ns))
    os.replace(tmp_path / "new", path)
    assert stat_task(str(tmp_path), True).stamps != before
