"""Processes are started outside the loop, which continues meanwhile and reports them."""

import asyncio
import errno
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.subagents.runners.process import marker, procfs, spawner, subreaper
from sidecar.subagents.runners.process.child import ChildProcess
from sidecar.subagents.runners.process.containment import Containment
from sidecar.subagents.runners.process.parent_death import die_with_parent
from sidecar.subagents.runners.process.spawner import SpawnedProcess


class Recorder(asyncio.SubprocessProtocol):
    """Record the output and the end of a process."""

    def __init__(self) -> None:
        self.output = {1: b"", 2: b""}
        self.calls: list[str] = []
        self.over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.calls.append("made")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.output[fd] += data

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._called(f"lost {fd}")

    def process_exited(self) -> None:
        self._called("exited")

    def _called(self, call: str) -> None:
        self.calls.append(call)
        if {"lost 1", "lost 2", "exited"} <= set(self.calls):
            self.over.set()


def shell(script: str) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    return subprocess.Popen(["sh", "-c", script], bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe)


async def test_the_loop_continues_while_a_process_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_loop_continued = threading.Event()
    starting = Containment.starting

    @contextmanager
    def slow(containment: Containment) -> Iterator[Any]:
        with starting(containment) as before_exec:
            assert the_loop_continued.wait(10), "the loop was blocked"
            yield before_exec

    monkeypatch.setattr(Containment, "starting", slow)
    spawning = ChildProcess.spawn(["true"], task_id=str(uuid4()), cwd=tmp_path, env={})
    started = asyncio.create_task(spawning)
    await asyncio.sleep(0)
    the_loop_continued.set()
    child = await started
    assert await child.exited() == 0
    await child.clear(5.0)
    child.close()


@pytest.mark.parametrize("has_handles", [True, False])
async def test_output_and_status_are_reported_after_the_process(
    monkeypatch: pytest.MonkeyPatch, has_handles: bool
) -> None:
    monkeypatch.setattr(procfs, "usable", lambda: has_handles)
    recorder = Recorder()
    process = await SpawnedProcess.start(recorder, lambda: shell("printf out; printf err >&2; exit 3"))
    async with asyncio.timeout(10):
        await recorder.over.wait()
    assert recorder.output == {1: b"out", 2: b"err"} and recorder.calls[0] == "made"
    assert process.get_returncode() == 3
    process.close()


async def test_input_reaches_the_process_until_it_is_closed() -> None:
    recorder = Recorder()
    process = await SpawnedProcess.start(recorder, lambda: shell("cat"))
    stdin = process.get_pipe_transport(0)
    assert isinstance(stdin, asyncio.WriteTransport)
    stdin.write(b"x" * 300_000)
    stdin.close()
    async with asyncio.timeout(10):
        await recorder.over.wait()
    assert (len(recorder.output[1]), process.get_returncode()) == (300_000, 0)
    process.close()


async def test_closing_kills_a_living_process() -> None:
    recorder = Recorder()
    process = await SpawnedProcess.start(recorder, lambda: shell("exec sleep 60"))
    process.close()
    async with asyncio.timeout(10):
        await recorder.over.wait()
    assert process.is_closing() and process.get_returncode() == -signal.SIGKILL


async def test_a_process_whose_pipes_cannot_be_used_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[subprocess.Popen[bytes]] = []

    def start() -> "subprocess.Popen[bytes]":
        made.append(shell("exec sleep 60"))
        return made[0]

    async def refuse(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(asyncio.get_running_loop(), "connect_read_pipe", refuse)
    with pytest.raises(OSError, match="no"):
        await SpawnedProcess.start(Recorder(), start)
    assert await asyncio.to_thread(made[0].wait, 10) == -signal.SIGKILL


async def test_a_run_whose_first_process_cannot_be_watched_leaves_no_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id, made = str(uuid4()), list[subprocess.Popen[bytes]]()
    popen = ChildProcess._popen

    def start(child: ChildProcess, *args: Any, **more: Any) -> "subprocess.Popen[bytes]":
        process = popen(child, *args, **more)
        assert process.stdout is not None
        assert process.stdout.read(5) == b"ready"  # its own child is there
        made.append(process)
        return process

    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(ChildProcess, "_popen", start)
    monkeypatch.setattr(SpawnedProcess, "_watch_for_end", refuse)
    with pytest.raises(OSError, match="Too many"):
        await ChildProcess.spawn(
            ["sh", "-c", "setsid sleep 60 & printf ready; exec sleep 60"],
            task_id=task_id,
            cwd=tmp_path,
            env={},
        )
    await asyncio.wrap_future(spawner.spawner().submit(lambda: made[0]))
    assert made[0].returncode is not None, "its end was noted"
    assert marker.find([task_id]) == [] and made[0].pid not in subreaper.orphan_reaper._runs


async def test_a_process_whose_start_was_cancelled_is_killed() -> None:
    may_start, began = threading.Event(), threading.Event()
    made: list[subprocess.Popen[bytes]] = []

    def start() -> "subprocess.Popen[bytes]":
        began.set()
        assert may_start.wait(10)
        made.append(shell("exec sleep 60"))
        return made[0]

    starting = asyncio.create_task(SpawnedProcess.start(Recorder(), start))
    await asyncio.to_thread(began.wait, 10)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    may_start.set()
    await asyncio.wrap_future(spawner.spawner().submit(lambda: made[0]))
    assert made[0].returncode == -signal.SIGKILL


async def test_a_start_cancelled_in_the_queue_never_happens_and_the_next_one_does() -> None:
    may_start, calls = threading.Event(), list[str]()

    def wait() -> "subprocess.Popen[bytes]":
        assert may_start.wait(10)
        raise OSError("first")

    def start() -> "subprocess.Popen[bytes]":
        calls.append("made")
        return shell("true")

    first = asyncio.create_task(SpawnedProcess.start(Recorder(), wait))
    second = asyncio.create_task(SpawnedProcess.start(Recorder(), start))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait({second})
    may_start.set()
    with pytest.raises(OSError, match="first"):
        await first
    recorder = Recorder()
    third = await SpawnedProcess.start(recorder, lambda: shell("true"))
    async with asyncio.timeout(10):
        await recorder.over.wait()
    third.close()
    assert calls == []


async def test_the_process_outlives_the_thread_that_requested_it() -> None:
    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(["sleep", "60"], preexec_fn=die_with_parent())

    made: list[subprocess.Popen[bytes]] = []
    asking = threading.Thread(target=lambda: made.append(spawner.spawner().submit(start).result()))
    asking.start()
    await asyncio.to_thread(asking.join)
    with made[0] as process:
        assert process.poll() is None
        process.kill()
