import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.atomic import is_temp, temp_path, write_atomic


@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("durable", [False, True])
def test_a_written_file_is_private_and_alone(
    tmp_path: Path, mode_of: Callable[[Path], int], durable: bool
) -> None:
    target = tmp_path / "file.json"
    write_atomic(target, b"one", durable=durable)
    write_atomic(target, b"two", durable=durable)
    assert target.read_bytes() == b"two"
    assert mode_of(target) == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_reader_always_finds_a_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "file.json"
    contents = [bytes([65 + n]) * 40_000 for n in range(2)]
    write_atomic(target, contents[0])
    done = threading.Event()

    def write() -> None:
        for n in range(100):
            write_atomic(target, contents[n % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = {target.read_bytes() for _ in iter(done.is_set, True)}
    writer.join(10)
    assert seen <= set(contents)


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file.json"
    write_atomic(target, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sidecar.storage.atomic.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(target, b"new", durable=True)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file.json"]


def test_temporary_names_are_those_readers_ignore(tmp_path: Path) -> None:
    temp = temp_path(tmp_path / "ui_messages.json")
    assert temp.parent == tmp_path
    assert temp.name.startswith(".ui_messages.json.new_")
    assert is_temp(temp.name)
    assert not is_temp("ui_messages.json")
