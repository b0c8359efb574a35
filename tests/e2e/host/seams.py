"""Change what the system does for the processes that a test starts, from their first line on."""

from pathlib import Path

from tests.e2e.host.conftest import HostSetting

# Runs in every Python process of the setting, before its own code.
LOCKS_REFUSED = """
import errno, fcntl, os
_flock = fcntl.flock
def flock(file, operation):
    path = os.readlink(f"/proc/self/fd/{{file if isinstance(file, int) else file.fileno()}}")
    if path.startswith({folder!r}):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    return _flock(file, operation)
fcntl.flock = flock
"""
CLOCK_THAT_JUMPS = """
import time
_time_ns = time.time_ns
def offset_ns():
    with open({file!r}) as file:
        return int(file.read() or 0) * 10**9
time.time_ns = lambda: _time_ns() + offset_ns()
time.time = lambda: time.time_ns() / 10**9
"""


def install(shared: HostSetting, code: str) -> None:
    """Let every Python process of the setting run this code first."""
    folder = shared.home / "seam"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    shared.environment["PYTHONPATH"] = f"{folder}:{shared.environment['PYTHONPATH']}"


def refuse_locks(shared: HostSetting, folder: Path) -> None:
    """Refuse locks of everything in a folder, as a network file system without locks does."""
    install(shared, LOCKS_REFUSED.format(folder=str(folder)))


class Clock:
    """The wall clock of every process of the setting."""

    def __init__(self, shared: HostSetting) -> None:
        self._file = shared.home / "clock"
        self._file.write_text("0")
        install(shared, CLOCK_THAT_JUMPS.format(file=str(self._file)))

    def set(self, hours: float) -> None:
        """Set the clock ahead of the real one by this number of hours."""
        following = self._file.with_suffix(".new")
        following.write_text(str(int(hours * 3600)))
        following.replace(self._file)


def be_another_user(shared: HostSetting) -> None:
    """Let every process of the setting take itself for one of another user."""
    install(shared, "import os\nuser = os.getuid() + 1\nos.getuid = lambda: user\n")


LOCKS_PRETENDED = """
import fcntl
fcntl.flock = lambda file, operation: None
"""


def pretend_locks(shared: HostSetting) -> None:
    """Grant every lock without locking, as some network file systems do."""
    install(shared, LOCKS_PRETENDED)
