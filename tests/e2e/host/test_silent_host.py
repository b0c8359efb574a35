"""A Host that was stopped (SIGSTOP) keeps nobody in the dark, and carries out nothing that was given up."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from sidecar.host.attach import address
from tests.e2e.conftest import Sidecar
from tests.e2e.host.conftest import SERVE, HostSetting

PIPE = asyncio.subprocess.PIPE


@contextmanager
def stopped(host: int) -> Iterator[None]:
    """Stop the Host inside of the context."""
    os.kill(host, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(host, signal.SIGCONT)


@contextmanager
def full_queue(path: str) -> Iterator[None]:
    """Keep the queue of a socket full inside of the context."""
    with ExitStack() as waiting:
        while True:
            wire = waiting.enter_context(socket.socket(socket.AF_UNIX))
            wire.setblocking(False)
            try:
                wire.connect(path)
            except BlockingIOError:
                break
        yield


async def start(shared: HostSetting, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        env={**shared.environment, "SIDECAR_STORAGE_ROOT": str(shared.root)},
        cwd=shared.home / "workspace",
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )


async def first_line(process: asyncio.subprocess.Process) -> str:
    """Return the first line on standard error."""
    assert process.stderr is not None
    return (await asyncio.wait_for(process.stderr.readline(), 60)).decode()


async def busy(shared: HostSetting) -> tuple[Sidecar, str]:
    """Return a client with a run that keeps the Host."""
    client = await shared.attach()
    return client, await client.launch_ready("wait")


async def test_a_launch_says_what_it_waits_for_and_continues_once(shared: HostSetting) -> None:
    client, _ = await busy(shared)
    host = shared.pid
    with stopped(host):
        launch = await start(shared, sys.executable, "-m", "sidecar", "launch", "wait", "late")
        line = await first_line(launch)
        assert f"the Host of {shared.root} (pid {host}) does not answer" in line
        assert f"kill -CONT {host}" in line
    out, err = await asyncio.wait_for(launch.communicate(), 60)
    assert launch.returncode == 0, err
    runs = (await client.request("asyncTasks/list"))["items"]
    assert [run["id"] for run in runs if run["goalPrompt"] == "late"] == [out.decode().strip()]


async def test_a_command_waits_for_a_stopped_host_whose_queue_is_full(
    shared: HostSetting,
) -> None:
    client, _ = await busy(shared)
    with stopped(shared.pid), full_queue(next(address.known_sockets(str(shared.root)))):
        status = await start(shared, sys.executable, "-m", "sidecar", "host", "status")
        launch = await start(shared, sys.executable, "-m", "sidecar", "launch", "wait", "late")
        assert f"the Host of {shared.root} does not answer" in await first_line(launch)
        _, err = await asyncio.wait_for(status.communicate(), 60)
        assert status.returncode == 1
        assert f"the Host of {shared.root} does not answer" in err.decode()
    out, err = await asyncio.wait_for(launch.communicate(), 60)
    assert launch.returncode == 0, err.decode()
    runs = (await client.request("asyncTasks/list"))["items"]
    assert [run["id"] for run in runs if run["goalPrompt"] == "late"] == [out.decode().strip()]


async def test_a_client_leaves_a_stopped_host_and_takes_its_output_along(shared: HostSetting) -> None:
    await busy(shared)
    host = shared.pid
    with stopped(host):
        serve = await start(shared, *SERVE, "--storage-root", str(shared.root))
        assert f"(pid {host}) does not answer" in await first_line(serve)
        assert serve.stdin is not None and serve.stdout is not None
        serve.stdin.close()
        assert await asyncio.wait_for(serve.wait(), 60) == 1
        assert await asyncio.wait_for(serve.stdout.read(), 60) == b""


async def test_an_attached_client_leaves_a_stopped_host(shared: HostSetting) -> None:
    await busy(shared)
    leaving = await shared.attach()
    with stopped(shared.pid):
        leaving.client.close_input()
        assert await leaving.client.wait(60) == 1
        assert "does not answer" in leaving.client.stderr_text


async def test_a_request_of_a_client_that_has_died_is_not_carried_out(shared: HostSetting) -> None:
    client, task_id = await busy(shared)
    other = await shared.attach()
    with stopped(shared.pid):
        asking = asyncio.create_task(other.request("asyncTasks/cancel", taskId=task_id))
        await asyncio.sleep(0)  # lets it write
        os.kill(other.client.pid, signal.SIGKILL)
        assert await other.client.wait(20) == -signal.SIGKILL
    asking.cancel()
    while (shared.status() or {})["clients"] > 1:
        await asyncio.sleep(0.05)
    assert (await client.task(task_id))["status"] == "running"


async def test_a_cancel_that_is_terminated_is_not_carried_out_later(shared: HostSetting) -> None:
    client, task_id = await busy(shared)
    with stopped(shared.pid):
        cancel = await start(shared, sys.executable, "-m", "sidecar", "cancel", task_id)
        await first_line(cancel)
        cancel.terminate()
        await asyncio.wait_for(cancel.wait(), 60)
    assert (await client.task(task_id))["status"] == "running"


async def test_the_runs_are_listed_from_the_journal_meanwhile(shared: HostSetting) -> None:
    _, task_id = await busy(shared)
    host = shared.pid
    with stopped(host):
        code, out, err = await shared.command("ps", "--json")
    assert (code, [task["id"] for task in json.loads(out)["items"]]) == (0, [task_id])
    assert f"(pid {host}) does not answer" in err
