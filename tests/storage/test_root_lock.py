import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sidecar.storage import lock_file
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import HeldBy, RootLock, Unavailable, living_owner
from tests.storage.mounts import read_only

OWNER = """
import sys
from pathlib import Path
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import RootLock
lock = RootLock.acquire(OwnRoot(Path(sys.argv[1])))
print(type(lock).__name__, flush=True)
sys.stdin.read()
"""


RACER = """
import os, sys
from pathlib import Path
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import RootLock
lock = RootLock.acquire(OwnRoot(Path(sys.argv[1])))
print("owner" if isinstance(lock, RootLock) else lock.pid, flush=True)
sys.stdin.read()
"""


@contextmanager
def another_owner(root: OwnRoot) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-c", OWNER, str(root.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"RootLock\n"
            yield child
        finally:
            child.kill()


def acquired(root: OwnRoot) -> RootLock:
    lock = RootLock.acquire(root)
    assert isinstance(lock, RootLock)
    return lock


@pytest.mark.usefixtures("open_umask")
def test_the_owner_is_named_in_a_private_file(root: OwnRoot, mode_of: Callable[[Path], int]) -> None:
    with acquired(root):
        assert root.lock.read_text() == str(os.getpid())
        assert mode_of(root.lock) == 0o600


def test_a_second_owner_learns_who_holds_the_root(root: OwnRoot) -> None:
    with another_owner(root) as child:
        assert RootLock.acquire(root) == HeldBy(child.pid)


def test_the_lock_ends_with_a_killed_process(root: OwnRoot) -> None:
    with another_owner(root) as child:
        child.send_signal(signal.SIGKILL)
        child.wait(10)
        with acquired(root) as lock:
            assert lock.was_abandoned


def test_the_lock_is_free_after_release(root: OwnRoot) -> None:
    lock = acquired(root)
    lock.release()
    lock.release()
    with acquired(root) as next_lock:
        assert isinstance(RootLock.acquire(root), HeldBy)
        assert not next_lock.was_abandoned


def test_a_child_process_does_not_inherit_the_lock(root: OwnRoot) -> None:
    lock = acquired(root)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        acquired(root).release()
        child.kill()


@pytest.mark.parametrize("text", ["", "garbage", "0", "-1", "4194399", "9" * 30])
def test_a_pid_that_names_no_process_is_not_reported(root: OwnRoot, text: str) -> None:
    with acquired(root):
        root.lock.write_text(text)
        assert RootLock.acquire(root) == HeldBy(None)


def test_a_root_that_cannot_be_made_is_unavailable_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert RootLock.acquire(OwnRoot(tmp_path / "file")) == Unavailable(tmp_path / "file", "File exists")


def test_a_read_only_root_is_unavailable_and_stays_as_it_is(tmp_path: Path) -> None:
    with read_only(tmp_path / "root") as path:
        found = RootLock.acquire(OwnRoot(path))
        assert found == Unavailable(path / "sidecar.lock", "Read-only file system")
        assert os.listdir(path) == []


def test_a_link_in_place_of_the_lock_is_not_followed(root: OwnRoot, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep")
    root.path.mkdir(parents=True)
    root.lock.symlink_to(precious)
    found = RootLock.acquire(root)
    assert isinstance(found, Unavailable) and "not a regular file; remove it" in found.reason
    assert precious.read_text() == "keep" and living_owner(root) is None


def test_a_pipe_in_place_of_the_lock_is_refused_at_once(root: OwnRoot) -> None:
    root.path.mkdir(parents=True)
    os.mkfifo(root.lock)
    found = RootLock.acquire(root)
    assert isinstance(found, Unavailable) and "not a regular file; remove it" in found.reason
    assert living_owner(root) is None


def test_a_directory_in_place_of_the_lock_is_unavailable(root: OwnRoot) -> None:
    root.lock.mkdir(parents=True)
    assert RootLock.acquire(root) == Unavailable(root.lock, "Is a directory")


def test_an_owner_stays_current(root: OwnRoot) -> None:
    with acquired(root) as lock:
        assert lock.is_current()
        root.database.touch()
        assert lock.is_current() and lock.replaced() is None
    assert not lock.is_current()


@pytest.mark.parametrize("name", ["sidecar.lock", "sidecar.db"])
@pytest.mark.parametrize("made_again", [False, True])
def test_an_owner_notices_a_removed_file(root: OwnRoot, name: str, made_again: bool) -> None:
    with acquired(root) as lock:
        root.database.touch()
        assert lock.is_current()
        (root.path / name).rename(root.path / "elsewhere")
        if made_again:
            (root.path / name).touch()
        assert lock.replaced() == root.path / name and not lock.is_current()


def test_an_owner_notices_that_the_root_is_another(root: OwnRoot) -> None:
    with acquired(root) as lock:
        root.path.rename(root.path.with_name("elsewhere"))
        assert lock.replaced() == root.path
        with acquired(root) as successor:
            assert lock.replaced() == root.path and successor.is_current()


def test_a_lock_file_removed_under_its_owner_keeps_others_out_and_is_made_again(root: OwnRoot) -> None:
    with acquired(root) as lock:
        root.lock.unlink()
        assert RootLock.try_again(root) is None
        assert not lock.is_current() and lock.renew() and lock.is_current()
    with acquired(root) as successor:
        assert not successor.was_abandoned


def test_an_owner_that_ended_without_its_lock_file_has_left_the_root_unfinished(root: OwnRoot) -> None:
    with acquired(root):
        root.database.touch()
        root.lock.unlink()
    with acquired(root) as successor:
        assert successor.was_abandoned and successor.is_current()


def test_a_lock_removed_while_it_is_taken_is_taken_again(
    root: OwnRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = lock_file.try_lock, 0

    def removed_at_first(handle: int) -> bool:
        nonlocal calls
        calls += 1
        if calls == 2:  # the first locks the directory
            root.lock.unlink()
        return real(handle)

    monkeypatch.setattr(lock_file, "try_lock", removed_at_first)
    with acquired(root) as lock:
        assert calls == 5 and lock.is_current()  # the last shows that the lock excludes others


def test_a_reader_becomes_the_owner_once_the_owner_is_gone(root: OwnRoot) -> None:
    with another_owner(root) as child:
        assert RootLock.try_again(root) is None
        child.send_signal(signal.SIGKILL)
        child.wait(10)
        lock = RootLock.try_again(root)
        assert lock is not None and lock.was_abandoned and lock.is_current()
        lock.release()


def test_a_reader_does_not_make_a_root_that_was_removed(root: OwnRoot) -> None:
    assert RootLock.try_again(root) is None and not root.path.exists()


@pytest.mark.slow
def test_of_forty_starts_at_once_one_owns_and_the_others_name_it(root: OwnRoot) -> None:
    command = [sys.executable, "-c", RACER, str(root.path)]
    racers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(40)
    ]
    try:
        answers = {}
        for racer in racers:
            assert racer.stdout is not None
            answers[racer.pid] = racer.stdout.readline().strip()
        (owner,) = [pid for pid, answer in answers.items() if answer == "owner"]
        assert {answer for pid, answer in answers.items() if pid != owner} == {str(owner)}
    finally:
        for racer in racers:
            racer.kill()
            racer.communicate()


def test_a_root_that_was_open_to_others_becomes_private(
    root: OwnRoot, mode_of: Callable[[Path], int]
) -> None:
    for path in (root.path, root.tasks, root.trash, root.archive):
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o777)
    for path in (root.lock, root.database):
        path.touch()
        path.chmod(0o666)
    with acquired(root):
        assert {mode_of(path) for path in (root.path, root.tasks, root.trash, root.archive)} == {0o700}
        assert {mode_of(path) for path in (root.lock, root.database)} == {0o600}


def test_a_reader_leaves_the_rights_of_the_root(root: OwnRoot, mode_of: Callable[[Path], int]) -> None:
    with another_owner(root):
        root.path.chmod(0o755)
        assert isinstance(RootLock.acquire(root), HeldBy)
        assert mode_of(root.path) == 0o755


def test_an_owner_that_is_dead_but_not_reaped_owns_nothing(root: OwnRoot) -> None:
    root.path.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["sleep", "60"]) as child:
        root.lock.write_text(str(child.pid))
        assert living_owner(root) == child.pid
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert living_owner(root) is None
