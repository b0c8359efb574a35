"""Forks servers from a process that has imported them already, so that a start takes no second."""

import asyncio
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

REPO = Path(__file__).parents[2]
_MAX_MESSAGE = 65536
Program = Literal["serve", "relay", "host"]


class ForkedProcess(NamedTuple):
    """A forked server that waits for `go`; `read` and `write` are our ends of its output and input."""

    pid: int
    read: int
    write: int
    gate: int

    def go(self) -> None:
        """Let it start; what should watch it from its first step on is attached by now."""
        os.write(self.gate, b"g")
        os.close(self.gate)


class Forker:
    """The forking process, as its caller sees it. Use it as a context manager."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.campaign.forker", str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=REPO, pass_fds=[theirs.fileno()])
        theirs.close()
        self._turn = asyncio.Lock()

    def __enter__(self) -> "Forker":
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._process.wait(10)

    async def fork(
        self, root: Path, environment: Mapping[str, str], stderr: Path, program: Program = "serve"
    ) -> ForkedProcess:
        """Fork a program that serves `root`; raises RuntimeError when the forker has died.

        A `relay` is `serve` as editors start it. A `host` is a Host whose output is where it reports to its
        starter; its process id stays that of the fork.
        """
        async with self._turn:
            return await asyncio.to_thread(self._fork, root, environment, stderr, program)

    def _fork(
        self, root: Path, environment: Mapping[str, str], stderr: Path, program: Program
    ) -> ForkedProcess:
        stdin, write = os.pipe()
        read, stdout = os.pipe()
        waits, gate = os.pipe()
        with stderr.open("ab") as errors:
            theirs = [stdin, stdout, errors.fileno(), waits]
            order = {"root": str(root), "environment": dict(environment), "program": program}
            message = json.dumps(order).encode()
            socket.send_fds(self._ours, [message], theirs)
            answer = self._ours.recv(_MAX_MESSAGE)
        for each in (stdin, stdout, waits):
            os.close(each)
        if not answer:
            raise RuntimeError("the forker has ended; see its standard error")
        return ForkedProcess(int(answer), read, write, gate)


def _preload() -> None:
    import psutil  # noqa: F401

    import sidecar.app.clients.toolbox
    import sidecar.app.serve
    import sidecar.history.catalog.pool
    import sidecar.history.stores.task_folders.reader
    import sidecar.host.attach.relay
    import sidecar.host.process
    import sidecar.host.running
    import sidecar.subagents.runs.targets.launch_targets  # noqa: F401


def _serve(fds: list[int], root: str, environment: dict[str, str], program: Program) -> NoReturn:
    stdin, stdout, stderr, gate = fds
    for target, source in enumerate((stdin, stdout, stderr)):
        os.dup2(source, target)
    os.read(gate, 1)
    os.closerange(3, 64)
    if program != "host":  # which makes its own session
        os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    random.seed()
    os.environ.clear()
    os.environ.update(environment)
    os._exit(_PROGRAMS[program](root))


def _in_process(root: str) -> int:
    from sidecar.app.serve import main

    return main(["--in-process", "--storage-root", root, "--log-level", "info"])


def _relay(root: str) -> int:
    from sidecar.host.attach.relay import main

    return main(["--storage-root", root])


def _host(root: str) -> int:
    """Run a Host in this process: the forker's fork is the one that detaches it."""
    from sidecar.host.process import main

    ready = os.dup(1)
    os.fork = lambda: 0
    return main(["--storage-root", root, "--ready-fd", str(ready)])


_PROGRAMS = {"serve": _in_process, "relay": _relay, "host": _host}


def _main(fd: int) -> None:
    _preload()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the servers
    with socket.socket(fileno=fd) as caller:
        while True:
            message, fds, _, _ = socket.recv_fds(caller, _MAX_MESSAGE, 4)
            if not message:
                return
            order = json.loads(message)
            pid = os.fork()
            if pid == 0:
                _serve(fds, order["root"], order["environment"], order["program"])
            for each in fds:
                os.close(each)
            caller.send(str(pid).encode())


if __name__ == "__main__":
    _main(int(sys.argv[1]))
