"""A folder for git is removed after its use, or when a later one is made if its process was killed."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from sidecar.storage.scratch import scratch


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(temporary: Path, age: float, name: str = "subagent-sidecar-git-x") -> Path:
    """Leave a folder with a copy of an index, as a process that was killed this many seconds ago."""
    folder = temporary / name
    folder.mkdir()
    (folder / "index").write_bytes(b"DIRC")
    os.utime(folder, times=(time.time() - age,) * 2)
    return folder


def test_a_folder_is_removed_after_its_use(temporary: Path) -> None:
    with scratch() as folder:
        (folder / "index").touch()
        assert list(temporary.iterdir()) == [folder] and folder.stat().st_mode & 0o077 == 0
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed(temporary: Path) -> None:
    old, young = left(temporary, 4000), left(temporary, 3000, "subagent-sidecar-git-y")
    other = left(temporary, 4000, "sidecar-git-z")
    with scratch():
        assert not old.exists() and young.exists() and other.exists()


def test_what_another_user_left_stays(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = left(temporary, 4000)
    monkeypatch.setattr(os, "getuid", lambda: old.stat().st_uid + 1)
    with scratch():
        assert old.exists()
