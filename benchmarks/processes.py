"""Whole processes, timed from spawn to end or to a first answer."""

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
    """The environment of every process measured: the sidecar importable from this checkout.

    Byte code is kept, as an installer does: the unmeasured first run compiles, the measured ones do not.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {"PYTHONPATH": str(REPOSITORY)}


def time_command(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Run a command to its end with its output thrown away; seconds. Raises CalledProcessError.

    `extra` is added to the environment.
    """
    variables = environment() | dict(extra or {})
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables) as child:
        # Not wait(timeout=...): that looks only every 50 ms.
        limit = threading.Timer(_LIMIT_SECONDS, child.kill)
        limit.start()
        status = child.wait()
        seconds = time.perf_counter() - start
        limit.cancel()
    if status:
        raise subprocess.CalledProcessError(status, command)
    return seconds


def time_without_index(command: Sequence[str], cache: str) -> float:
    """Time a command that finds no index; `cache` is the directory it may keep one in."""
    shutil.rmtree(cache, ignore_errors=True)
    return time_command(command, {"SIDECAR_CACHE_DIR": cache})


def peak_without_index(command: Sequence[str], cache: str) -> float:
    """Do as `peak_of_command`, with no index to be found; `cache` is the directory it may keep one in."""
    shutil.rmtree(cache, ignore_errors=True)
    return peak_of_command(command, {"SIDECAR_CACHE_DIR": cache})


def peak_of_command(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Run a command to its end; MiB of its largest process at its largest."""
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
    """Start a server, send one frame, read until its output ends in `end`; seconds from before the spawn."""
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
