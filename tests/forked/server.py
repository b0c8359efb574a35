"""A process that has imported the sidecar and forks commands of it, so that a start costs no half second.

Use it where a test does not examine the start itself: the fork runs the same code as `python -m sidecar`.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

_MAX_MESSAGE = 1 << 17
_STATUS_BYTES = 4


class ForkServer:
    """The forking process, as its caller sees it. Use it as a context manager."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.forked.server", str(theirs.fileno())]
        repository = Path(__file__).parents[2]
        self._process = subprocess.Popen(command, cwd=repository, pass_fds=[theirs.fileno()])
        theirs.close()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._process.wait(10)

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        streams: tuple[int, int, int],
    ) -> tuple[int, int]:
        """Run `python -m sidecar ARGUMENTS` in a fork; return its process id and a descriptor.

        The descriptor yields the exit status once, for `exit_status`. `streams` become the fork's standard
        streams; the caller closes its own copies. Raises RuntimeError if the server has ended.
        """
        status, theirs = os.pipe()
        order = {"arguments": list(arguments), "environment": dict(environment), "folder": str(folder)}
        socket.send_fds(self._ours, [json.dumps(order).encode()], [*streams, theirs])
        os.close(theirs)
        answer = self._ours.recv(_MAX_MESSAGE)
        if not answer:
            raise RuntimeError("the fork server has ended; see its standard error")
        return int(answer), status


def exit_status(status: int) -> int:
    """Read the exit status from the descriptor that `fork` returned; negative for a signal."""
    return int.from_bytes(os.read(status, _STATUS_BYTES), "little", signed=True)


def _preload() -> None:
    import acp  # noqa: F401
    import psutil  # noqa: F401

    import sidecar.app.clients.toolbox
    import sidecar.app.serve
    import sidecar.cli.main
    import sidecar.history.catalog.pool
    import sidecar.history.stores.task_folders.reader
    import sidecar.host.attach.relay
    import sidecar.host.running
    import sidecar.subagents.runners.acp.session
    import sidecar.subagents.runs.targets.launch_targets  # noqa: F401


class _Server:
    def __init__(self, caller: socket.socket) -> None:
        self._caller = caller
        self._statuses: dict[int, int] = {}
        self._ends, self._wake_up = socket.socketpair()
        self._wake_up.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_up.fileno())

    def serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._caller, selectors.EVENT_READ)
            selector.register(self._ends, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._ends:
                        self._ends.recv(_MAX_MESSAGE)
                        self._report_ends()
                    elif not self._fork():
                        return

    def _fork(self) -> bool:
        message, fds, _, _ = socket.recv_fds(self._caller, _MAX_MESSAGE, 4)
        if not message:
            return False
        *streams, status = fds
        pid = os.fork()
        if pid == 0:
            _run(streams, **json.loads(message))
        for each in streams:
            os.close(each)
        self._statuses[pid] = status
        self._caller.send(str(pid).encode())
        return True

    def _report_ends(self) -> None:
        for pid in [*self._statuses]:
            ended, wait_status = os.waitpid(pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(wait_status)
                status = self._statuses.pop(pid)
                os.write(status, code.to_bytes(_STATUS_BYTES, "little", signed=True))
                os.close(status)


def _run(streams: list[int], arguments: list[str], environment: dict[str, str], folder: str) -> NoReturn:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for target, source in enumerate(streams):
        os.dup2(source, target)
    os.closerange(3, 256)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["sidecar", *arguments]
    sys.stdin = os.fdopen(0, "r", closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, errors="backslashreplace")
    from sidecar.__main__ import run

    run()


def _main(fd: int) -> None:
    import gc

    _preload()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=fd) as caller:
        _Server(caller).serve()


if __name__ == "__main__":
    _main(int(sys.argv[1]))
