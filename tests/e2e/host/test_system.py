"""What the system refuses or changes under a Host: locks, files, other users, time."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from sidecar.host.attach import address, attaching
from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import ConnectionClosed, RpcError
from tests.e2e.conftest import Sidecar
from tests.e2e.host.conftest import SERVE, HostSetting
from tests.e2e.host.seams import Clock, be_another_user, pretend_locks, refuse_locks

STORAGE = -32016
NOBODY = 65534
IS_ROOT = os.getuid() == 0

# The user of a socket is the one that listens. Imports come first: the other user may not read this Python.
LISTEN = """
import os, socket, sys
wire = socket.socket(socket.AF_UNIX)
wire.bind(sys.argv[1])
if len(sys.argv) > 2:
    os.setuid(int(sys.argv[2]))
wire.listen()
print("listening", flush=True)
while True:
    wire.accept()
"""


async def test_a_root_without_locks_is_read_by_one_host_that_says_why_it_launches_nothing(
    shared: HostSetting,
) -> None:
    refuse_locks(shared, shared.root)
    clients = await asyncio.gather(*(shared.attach() for _ in range(6)))
    assert len({client.instance for client in clients}) == 1
    assert len(shared.processes()) == 1
    with pytest.raises(
        RpcError, match="its file system has no locks; use a storage root on a local disk"
    ) as refused:
        await clients[0].launch("cat")
    assert refused.value.code == STORAGE
    assert (await clients[0].request("tasks/list"))["items"] == []


async def test_a_system_without_any_locks_serves_clients_one_after_the_other(shared: HostSetting) -> None:
    refuse_locks(shared, shared.home)
    one = await shared.attach()
    assert (await shared.attach()).instance == one.instance


async def test_locks_that_exclude_nobody_lead_to_one_host_that_launches_nothing(shared: HostSetting) -> None:
    pretend_locks(shared)
    clients = await asyncio.gather(*(shared.attach() for _ in range(10)))
    assert len({client.instance for client in clients}) == 1
    assert len(shared.processes()) == 1
    with pytest.raises(
        RpcError, match="its file system has no locks; use a storage root on a local disk"
    ) as refused:
        await clients[0].launch("cat")
    assert refused.value.code == STORAGE


async def test_a_socket_of_another_user_is_named_and_not_used(shared: HostSetting) -> None:
    with short_folder() as folder:
        path = folder / "theirs.sock"
        shared.root.mkdir(mode=0o700)
        (shared.root / address.POINTER).write_text(str(path))
        user = [str(NOBODY)] if IS_ROOT else []
        if not user:
            be_another_user(shared)
        command = [sys.executable, "-c", LISTEN, str(path), *user]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as theirs:
            assert theirs.stdout is not None
            theirs.stdout.readline()
            client = await shared.spawn()
            assert await client.client.wait(40) == 1
            theirs.kill()
    assert f"{path} belongs to another user" in client.client.stderr_text
    assert "remove it or use --in-process" in client.client.stderr_text
    assert shared.processes() == []


async def test_a_host_without_descriptors_to_spare_refuses_clients_and_keeps_the_others(
    shared: HostSetting,
) -> None:
    serve = ("sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *SERVE, "--storage-root", str(shared.root))
    clients: list[Sidecar] = []
    refused = ""
    while not refused:
        client = Sidecar(
            await RpcClient.spawn(serve, env=shared.environment, cwd=shared.home, stderr="collect"),
            shared.home,
        )
        shared.clients.append(client)
        try:
            await client.initialize(settings={})
            clients.append(client)
        except ConnectionClosed:
            assert await client.client.wait(20) == 1
            refused = client.client.stderr_text
        assert len(clients) < 64
    assert "can open only 64 files, and its clients and runs already use them" in refused
    assert "ulimit -n" in refused
    assert (await clients[0].ended(await clients[-1].launch("cat")))[0]["status"] == "completed"
    for _ in range(2):  # two, since the watch of the root may need as many files as a client meanwhile
        await clients.pop().client.close()
    async with asyncio.timeout(20):
        while (shared.status() or {})["clients"] > len(clients):
            await asyncio.sleep(0.05)
    assert (await shared.attach()).instance


async def test_a_home_in_which_nothing_can_be_made_prevents_launches_only_without_another_root(
    shared: HostSetting,
) -> None:
    shared.environment["HOME"] = "/dev/null"
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "SIDECAR_CACHE_DIR"):
        del shared.environment[name]
    client = await shared.attach(
        settings={"agents": {"directories": [str(shared.home / "config" / "subagent-sidecar" / "agents")]}}
    )
    await client.request(
        "settings/update", settings={"runners": {"cat": {"type": "command", "command": ["cat"]}}}
    )
    assert (await client.ended(await client.launch("cat")))[0]["status"] == "completed"
    assert (await client.request("tasks/list"))["total"] == 1
    homeless = Sidecar(await RpcClient.spawn(SERVE, env=shared.environment, cwd=shared.home), shared.home)
    shared.clients.append(homeless)
    await homeless.initialize(settings={})
    with pytest.raises(
        RpcError, match=r"/dev/null.* cannot be used: .*; .*use another storage root"
    ) as refused:
        await homeless.launch("cat")
    assert refused.value.code == STORAGE
    assert (await homeless.request("asyncTasks/list"))["items"] == []
    await homeless.shut_down()


@pytest.mark.parametrize("hours", [-30, -5, 5, 30])
async def test_a_jump_of_the_clock_ends_no_run_and_no_client(shared: HostSetting, hours: int) -> None:
    clock = Clock(shared)
    shared.configure(
        host={"idleSeconds": 0.2, "surviveMinutes": 1}, asyncTasks={"max": 1, "overLimit": "queue"}
    )
    one = await shared.attach()
    running = await one.launch_ready("wait", timeoutSeconds=600)
    queued = await one.launch("cat", "after the jump", notifyModel=True)
    clock.set(hours)
    two = await shared.attach()
    assert two.instance == one.instance
    assert (await two.task(running))["status"] == "running"
    assert 0 <= (await two.request("health"))["uptimeMs"] < 3_600_000
    assert 0 <= (shared.status() or {})["uptimeMs"] < 3_600_000
    await one.client.close()
    assert (await two.task(running))["status"] == "running"
    assert (await two.request("asyncTasks/cancel", taskId=running))["cancelled"]
    first, second = await two.ended(running, queued)
    assert (first["status"], second["status"]) == ("cancelled", "completed")
    assert first["completedAt"] >= first["launchedAt"]
    assert (await two.request("reminders/next"))["taskIds"] == [queued]
    clock.set(0)
    assert (await two.ended(await two.launch("cat")))[0]["status"] == "completed"
    page = await two.request("asyncTasks/list")
    assert page["counts"]["completed"] == 2


@pytest.mark.slow
async def test_a_host_frozen_for_longer_than_clients_wait_keeps_its_clients_and_runs(
    shared: HostSetting,
) -> None:
    one, two = await shared.attach(), await shared.attach()
    task_id = await one.launch_ready("wait")
    host = psutil.Process(shared.pid)
    host.suspend()
    asked = [asyncio.create_task(each.request("asyncTasks/list")) for each in (one, two)]
    newcomer = (await shared.spawn()).client
    entering = asyncio.create_task(newcomer.request("initialize", {"protocolVersion": 1}, timeout=90))
    await asyncio.wait({entering}, timeout=attaching.PATIENCE_SECONDS + 1)
    assert not entering.done()
    assert f"(pid {host.pid}) does not answer" in newcomer.stderr_text
    host.resume()
    assert [(await each)["counts"]["running"] for each in asked] == [1, 1]
    assert (await entering)["instanceId"] == one.instance
    assert (await one.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    await two.until(lambda: any(task["status"] == "cancelled" for task in two.changes))


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path fits that of a socket."""
    folder = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))  # short
    yield folder
    shutil.rmtree(folder)
