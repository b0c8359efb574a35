"""How a client reaches a Host despite an obstructive file, socket or parent process."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecar import __version__
from sidecar.cli.client.asking import stop_host
from sidecar.host.attach import address, attaching, relay
from tests.host.standard import nothing, standard

IMPORT_WITHOUT_SOCKETS = """
import _socket, asyncio, os, sys
kept = _socket.AF_UNIX, _socket.SCM_RIGHTS, os.fork
del _socket.AF_UNIX, _socket.SCM_RIGHTS, os.fork
import sidecar.cli.client.attached
from sidecar.host.attach.relay import main
_socket.AF_UNIX, _socket.SCM_RIGHTS, os.fork = kept
main(["--storage-root", sys.argv[1]])
"""


class Refused:
    """A socket to which the system refuses connections. Tests may run as root, which is refused nothing."""

    def connect(self, path: str) -> None:
        raise PermissionError(13, "Permission denied")


def test_a_socket_that_this_user_cannot_reach_is_ignored() -> None:
    assert not attaching._connect(Refused(), "/elsewhere/x.sock")  # type: ignore[arg-type]


def test_a_host_that_never_answers_is_named_in_the_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attaching, "QUIET_SECONDS", 0.1)
    reading, writing = os.pipe()
    os.close(writing)
    with socket.socket(socket.AF_UNIX) as mute, standard(reading, reading):
        mute.bind(address.socket_path(str(root)))
        mute.listen()
        with pytest.raises(attaching.NoHost, match=rf"\(pid {os.getpid()}\) does not answer"):
            relay._reach(str(root), attaching.request_bytes("attach", "1", {}), [])
    os.close(reading)


def test_a_client_attaches_to_the_host_that_it_started_however_long_that_took(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, start, passed = time.monotonic, attaching.start, 0.0

    def start_slowly(root: str, options: Sequence[str]) -> bool:
        nonlocal passed
        passed += attaching.PATIENCE_SECONDS + 1
        return start(root, options)

    monkeypatch.setattr(attaching, "start", start_slowly)
    monkeypatch.setattr(time, "monotonic", lambda: now() + passed)
    request = attaching.request_bytes("attach", __version__, {"root": str(root)})
    with nothing():
        link = relay._reach(str(root), request, [])
    link.close()
    assert stop_host(root, cancel_running=True)


def test_a_client_whose_parent_ignores_its_children_starts_a_host(root: Path) -> None:
    script = (
        "import signal, os, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    serve = [sys.executable, "-m", "sidecar", "serve", "--storage-root", str(root)]
    done = subprocess.run(
        [sys.executable, "-c", script, *serve], stdin=subprocess.DEVNULL, capture_output=True, timeout=50
    )
    assert (done.returncode, done.stderr) == (1, b"")
    pid = _pid(root)
    ignored = _status_line(pid, "SigIgn") if sys.platform == "linux" else 0
    assert stop_host(root, cancel_running=False)
    assert not ignored & 1 << (signal.SIGCHLD - 1)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_client_with_closed_standard_files_ends(root: Path, closed: str) -> None:
    command = f'exec "$0" -m sidecar serve --storage-root "$1" {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(root)], stdin=subprocess.DEVNULL, timeout=50
    )
    assert done.returncode == 1
    assert stop_host(root, cancel_running=False)


def test_a_platform_without_such_sockets_serves_in_process(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_WITHOUT_SOCKETS, str(root)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=50,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert attaching.ask(str(root), b"") is None


def test_a_pipe_in_place_of_the_log_does_not_keep_the_host(root: Path) -> None:
    os.mkfifo(root / address.LOG)
    assert attaching.start(str(root), [])
    assert stop_host(root, cancel_running=False)


def test_a_file_that_cannot_be_replaced_leaves_no_other_behind(root: Path) -> None:
    (root / address.POINTER).mkdir()
    with pytest.raises(OSError):
        address.write_pointer(str(root), "/elsewhere/x.sock")
    assert [path.name for path in root.iterdir()] == [address.POINTER]


def _pid(root: Path) -> int:
    link = attaching.ask(str(root), attaching.request_bytes("status", "1", {}), (), 20)
    assert link is not None, "no Host is running"
    pid: int = json.loads(link.line() or "")["pid"]
    link.close()
    return pid


def _status_line(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1], 16)
