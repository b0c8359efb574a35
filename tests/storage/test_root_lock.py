import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import HeldBy, RootLock

OWNER = """
import sys
from pathlib import Path
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import RootLock
lock = RootLock.acquire(OwnRoot(Path(sys.argv[1])))
print(type(lock).__name__, flush=True)
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


def test_a_second_owner_is_told_who_holds_the_root(root: OwnRoot) -> None:
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
def test_a_pid_that_names_no_process_is_not_told(root: OwnRoot, text: str) -> None:
    with acquired(root):
        root.lock.write_text(text)
        assert RootLock.acquire(root) == HeldBy(None)


def test_a_root_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        RootLock.acquire(OwnRoot(tmp_path / "file"))
