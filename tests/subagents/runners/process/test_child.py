import asyncio
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.subagents.runners.process.child import ChildProcess
from sidecar.subagents.runners.process.marker import find, sweep

Start = Callable[..., Awaitable[Any]]
Python = tuple[str, ...]

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {output}
        time.sleep(60)
    os._exit(0)
os.wait()
print("up", flush=True)
time.sleep(60)
"""
CLOSE = "[os.close(fd) for fd in (0, 1, 2)]"


async def stop_in(run: Any, limit: float = 5.0) -> float:
    before = time.monotonic()
    await run.run.stop(limit)
    assert find([run.task_id]) == []
    return time.monotonic() - before


async def test_a_child_that_exits_on_term_is_stopped_at_once(start: Start) -> None:
    run = await start("sh", "-c", "echo up; exec sleep 60")
    await run.until_it_speaks()
    assert await stop_in(run, 60.0) < 20.0
    assert (await run.result()).error == "the program was killed by signal 15"


async def test_a_child_is_stopped_when_no_thread_can_be_started(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    run = await start("sh", "-c", "setsid sleep 60 & echo up; exec sleep 60")
    await run.until_it_speaks()
    threading.stack_size(1 << 46)  # more than any address space has
    try:
        with pytest.raises(RuntimeError, match="can't start new thread"):
            threading.Thread(target=print).start()
        await stop_in(run)
    finally:
        threading.stack_size(0)
    assert (await run.result()).error == "the program was killed by signal 15"
    assert [record.message for record in caplog.records if "can't start new thread" in record.message] == [
        "can't start new thread: runs are cleaned up one at a time, without threads of their own"
    ]


async def test_a_child_may_use_the_time_between_term_and_kill(start: Start) -> None:
    run = await start("sh", "-c", "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done")
    await run.until_it_speaks()
    await stop_in(run)
    assert (await run.result()).final_message == "up\nbye"


async def test_a_grandchild_in_the_group_may_use_that_time_too(start: Start) -> None:
    worker = "trap 'sleep 0.3; echo tidy; exit' TERM; echo up; while :; do sleep 0.05; done"
    run = await start("sh", "-c", 'sh -c "$1" & wait', "sh", worker)
    await run.until_it_speaks()
    await stop_in(run)
    assert "tidy" in (await run.result()).final_message


@pytest.mark.parametrize(("limit", "least", "most"), [(5.0, 1.9, 5.0), (1.0, 0.3, 1.9)])
async def test_a_child_that_ignores_term_is_killed_within_the_limit(
    start: Start, limit: float, least: float, most: float
) -> None:
    run = await start("sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done")
    await run.until_it_speaks()
    assert least < await stop_in(run, limit) < most
    assert (await run.result()).error == "the program was killed by signal 9"


async def test_a_later_stop_with_a_shorter_limit_applies(start: Start) -> None:
    run = await start("sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done")
    await run.until_it_speaks()
    patient = asyncio.create_task(run.run.stop(30.0))
    await asyncio.sleep(0)
    assert await stop_in(run, 0.5) < 1.9
    await patient


@pytest.mark.parametrize("output", ["pass", CLOSE], ids=["holding the pipe", "detached"])
async def test_a_stop_kills_a_daemon_in_its_own_session(start: Start, python: Python, output: str) -> None:
    run = await start(*python, DAEMON.format(output=output))
    await run.until_it_speaks()
    assert await stop_in(run) < 5.0
    assert (await run.result()).terminate_reason == "ERROR"


@pytest.mark.parametrize("output", ["pass", CLOSE], ids=["holding the pipe", "detached"])
async def test_a_natural_end_leaves_no_daemon_behind(start: Start, python: Python, output: str) -> None:
    run = await start(*python, DAEMON.format(output=output).rpartition("time")[0])
    result = await run.result()
    assert (result.terminate_reason, result.final_message) == ("GOAL", "up")
    assert find([run.task_id]) == []


async def test_a_process_without_the_marker_does_not_delay_the_end(start: Start) -> None:
    script = "env -i setsid sh -c 'echo >ready; sleep 4' & until [ -e ready ]; do sleep 0.02; done; echo done"
    run = await start("sh", "-c", script)
    await run.until_it_speaks()
    before = time.monotonic()
    assert (await run.result()).final_message == "done"
    assert time.monotonic() - before < 2.5


async def test_a_process_that_keeps_forking_does_not_outrun_the_sweep(start: Start, python: Python) -> None:
    code = """
    import os, time
    print("up", flush=True)
    while True:
        if os.fork() == 0:
            os.setsid()
        else:
            time.sleep(0.002)
            os._exit(0)
    """
    run = await start(*python, textwrap.dedent(code))
    await run.until_it_speaks()
    await run.result()
    assert find([run.task_id]) == []


async def test_output_written_just_before_the_end_is_kept(start: Start, python: Python) -> None:
    run = await start(*python, "import os; os.write(1, b'x' * 60_000); os._exit(0)")
    assert len((await run.result()).final_message.splitlines()[-1]) == 32 * 1024
    assert len(run.text()) == 60_000


async def test_stops_at_once_before_and_after_the_end_are_harmless(start: Start) -> None:
    run = await start("sleep", "60")
    await asyncio.gather(*(run.run.stop(5.0) for _ in range(5)), run.run.stop(1.0))
    await run.run.stop()
    assert (await run.result()).error == "the program was killed by signal 15"


async def test_cancelling_a_wait_for_the_result_does_not_affect_the_run(start: Start) -> None:
    run = await start("sh", "-c", "read line; sleep 0.3; echo done")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(run.run.result(), 0.05)
    assert (await run.result()).final_message == "done"


async def test_a_stop_does_not_wait_for_a_journal_that_hangs(start: Start) -> None:
    taken = asyncio.Event()

    async def hang(event: dict[str, Any]) -> None:
        taken.set()
        await asyncio.Event().wait()

    run = await start("yes", emit=hang)
    async with asyncio.timeout(10):
        await taken.wait()
    assert await stop_in(run, 1.0) < 10.0
    assert (await run.result()).terminate_reason == "ERROR"


async def test_dead_children_are_reaped(start: Start) -> None:
    runs = [await start("true") for _ in range(5)]
    for run in runs:
        await run.result()
        with pytest.raises(ProcessLookupError):
            os.kill(run.run.pid, 0)


PARENT = """
import asyncio, sys
from pathlib import Path
from sidecar.subagents.runners.process.child import ChildProcess

async def main():
    script = "setsid sleep 60 & echo $$; exec sleep 60"
    child = await ChildProcess.spawn(["sh", "-c", script], task_id=sys.argv[1], cwd=Path("."), env={})
    sys.stdout.buffer.write(await child.stdout.read())
    sys.stdout.flush()
    await child.exited()

asyncio.run(main())
"""


def test_the_direct_child_dies_with_a_killed_parent_and_the_sweep_finds_the_rest() -> None:
    task_id = str(uuid4())
    root = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, task_id], stdout=subprocess.PIPE, cwd=root
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        handle = os.pidfd_open(child)
        parent.send_signal(signal.SIGKILL)
    await_death(handle)
    left = find([task_id])
    report = sweep([task_id], 5.0)
    assert child not in left
    assert (len(left), set(report.killed), report.survivors) == (1, set(left), ())
    assert find([task_id]) == []


def await_death(handle: int) -> None:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    assert poll.poll(5000), "the direct child outlived its parent"
    os.close(handle)


async def test_a_cancelled_start_leaves_no_processes(tmp_path: Path) -> None:
    task_id, begun = str(uuid4()), tmp_path / "begun"
    program = f"(setsid sleep 300 &); touch {begun}; sleep 300"
    spawning = ChildProcess.spawn(["sh", "-c", program], task_id=task_id, cwd=tmp_path, env={})
    starting = asyncio.create_task(spawning)
    async with asyncio.timeout(10):
        while not find([task_id]):
            await asyncio.sleep(0)
    deadline = time.monotonic() + 10  # not awaited, so that the loop is not notified of the start
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert find([task_id]) == []
