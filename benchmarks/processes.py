"""Time whole processes from their spawn to their end or to a first answer."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SIDECAR = (sys.executable, "-m", "sidecar")
_LIMIT_SECONDS = 120
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def environment() -> dict[str, str]:
    """Return the environment of every measured process, which can import the sidecar from this checkout.

    Byte code is kept, as after an installation: the unmeasured first run compiles, the measured ones do not.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {"PYTHONPATH": str(REPOSITORY)}


def time_command(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Run a command to its end, discard its output, and return the seconds. Raises CalledProcessError.

    `extra` is added to the environment.
    """
    variables = environment() | dict(extra or {})
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables) as child:
        # Not wait(timeout=...), which checks only every 50 ms.
        limit = threading.Timer(_LIMIT_SECONDS, child.kill)
        limit.start()
        status = child.wait()
        seconds = time.perf_counter() - start
        limit.cancel()
    if status:
        raise subprocess.CalledProcessError(status, command)
    return seconds


def time_without_index(command: Sequence[str], cache: str) -> float:
    """Time a command that finds no index; `cache` is the directory in which it may keep one."""
    shutil.rmtree(cache, ignore_errors=True)
    return time_command(command, {"SIDECAR_CACHE_DIR": cache})


def peak_without_index(command: Sequence[str], cache: str) -> float:
    """Return the same as `peak_of_command` without an index; `cache` is the directory for one."""
    shutil.rmtree(cache, ignore_errors=True)
    return peak_of_command(command, {"SIDECAR_CACHE_DIR": cache})


def peak_of_command(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Run a command to its end, and return the peak memory of its largest process in MiB."""
    measured = [sys.executable, "-c", _PEAK, *command]
    done = subprocess.run(
        measured,
        check=True,
        stdout=subprocess.PIPE,
        env=environment() | dict(extra or {}),
        timeout=_LIMIT_SECONDS,
    )
    return int(done.stdout) / 1024


def time_first_answer(
    command: Sequence[str], frame: bytes, end: bytes, variables: Mapping[str, str] | None = None
) -> float:
    """Start a server, send one frame, and read until its output ends in `end`; return the seconds it took."""
    start = time.perf_counter()
    with running(command, variables) as server:
        assert server.stdin and server.stdout
        server.stdin.write(frame)
        server.stdin.flush()
        received = b""
        while not received.endswith(end):
            chunk = os.read(server.stdout.fileno(), 65536)
            if not chunk:
                raise RuntimeError(f"{command[0]} ended before its first answer: {received!r}")
            received += chunk
        return time.perf_counter() - start


@contextmanager
def running(
    command: Sequence[str], variables: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a server with pipes to its stdin and stdout; its end of input ends it.

    `variables` are the environment, by default that of `environment`.
    """
    env = environment() if variables is None else variables
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    try:
        yield server
    finally:
        try:
            server.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()
