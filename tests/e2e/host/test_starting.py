"""However clients, Hosts and files collide, a client ends up attached or with one clear sentence."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import time
from pathlib import Path

import psutil
import pytest

from sidecar import __version__
from sidecar.host.attach import address, attaching
from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import ConnectionClosed, RpcError
from sidecar.rpc.transport.framing import encode_frame
from tests.e2e.conftest import Sidecar, Start
from tests.e2e.host.conftest import SERVE, HostSetting
from tests.e2e.processes import gone

STORAGE = -32016


async def test_simultaneous_starts_end_in_one_host(shared: HostSetting) -> None:
    clients = await asyncio.gather(*(shared.attach() for _ in range(12)))
    assert len({client.instance for client in clients}) == 1
    assert len(shared.processes()) == 1


@pytest.mark.slow
async def test_forty_starts_while_hosts_are_killed(shared: HostSetting) -> None:
    async def attach() -> bool:
        client = await shared.attach()
        return bool(await client.request("asyncTasks/list"))

    starts = [asyncio.create_task(attach()) for _ in range(40)]
    for _ in range(5):
        await asyncio.sleep(0.3)
        for process in shared.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    results = await asyncio.gather(*starts, return_exceptions=True)
    assert all(result is True or isinstance(result, ConnectionClosed) for result in results), results
    assert len({(await shared.attach()).instance for _ in range(3)}) == 1
    assert len(shared.processes()) == 1


async def test_a_socket_that_a_killed_host_left_is_replaced(shared: HostSetting) -> None:
    one = await shared.attach()
    os.kill(shared.pid, signal.SIGKILL)
    await one.client.wait(5)
    assert Path(next(address.known_sockets(str(shared.root)))).exists()
    assert (await shared.attach()).instance != one.instance


async def test_a_removed_socket_is_made_again(shared: HostSetting) -> None:
    one = await shared.attach()
    for path in address.known_sockets(str(shared.root)):
        Path(path).unlink()
    (shared.root / address.POINTER).unlink()
    two = await shared.attach()
    assert two.instance == one.instance


async def test_no_second_host_starts_when_all_files_of_the_first_were_removed(shared: HostSetting) -> None:
    one = await shared.attach()
    first = shared.pid
    for path in address.known_sockets(str(shared.root)):
        Path(path).unlink()
    for name in (address.LOCK, address.POINTER):
        (shared.root / name).unlink()
    others = await asyncio.gather(*(shared.attach() for _ in range(3)))
    assert {client.instance for client in others} == {one.instance}
    assert [process.pid for process in shared.processes()] == [first]


async def test_a_copy_of_a_root_in_use_is_refused_and_affects_nothing_there(shared: HostSetting) -> None:
    one = await shared.attach()
    task_id = await one.launch_ready("wait")
    copy = shared.home / "copy"
    shutil.copytree(shared.root, copy)
    refusal = f"{copy} is a copy of {shared.root}, which its Host (pid {shared.pid}) uses"
    launch = ["launch", "cat", "x"]
    for command in (["serve"], ["mcp"], launch, ["host", "status"], ["host", "stop", "--cancel-running"]):
        code, out, err = await shared.command(*command, "--storage-root", str(copy))
        assert (code, out) == (1, ""), command
        assert refusal in err
    assert (await one.task(task_id))["status"] == "running"
    assert await shared.command("host", "stop", "--cancel-running") == (0, "", "")
    other = await shared.spawn(root=copy)
    assert (await other.initialize(settings={}))["storageRoot"] == str(copy)


@pytest.mark.parametrize("what", ["root", "journal"])
async def test_removed_files_end_their_host_and_its_clients_with_the_reason(
    shared: HostSetting, what: str
) -> None:
    one = await shared.attach()
    task_id = await one.launch_ready("wait")
    first = shared.pid
    if what == "root":
        shutil.rmtree(shared.root, ignore_errors=True)
    for path in shared.root.glob("sidecar.db*"):
        path.unlink()
    assert await one.client.wait(20) == 1
    assert f"the Host has ended: {shared.root}" in one.client.stderr_text
    assert "was removed or replaced" in one.client.stderr_text
    await gone(task_id, 5)
    two = await shared.attach()
    assert two.instance != one.instance
    assert (await two.ended(await two.launch("cat")))[0]["status"] == "completed"
    async with asyncio.timeout(20):
        while first in [process.pid for process in shared.processes()]:
            await asyncio.sleep(0.05)


async def test_clients_with_another_runtime_folder_find_the_host(shared: HostSetting) -> None:
    one = await shared.attach()
    elsewhere = shared.home / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    two = await shared.attach(env={"XDG_RUNTIME_DIR": str(elsewhere)})
    assert two.instance == one.instance


async def test_a_socket_path_longer_than_the_system_allows(shared: HostSetting) -> None:
    deep = shared.home / ("d" * 120)
    deep.mkdir(mode=0o700)
    one = await shared.attach(env={"XDG_RUNTIME_DIR": str(deep), "TMPDIR": str(deep)})
    assert one.instance


async def test_one_root_has_one_host_under_every_name(shared: HostSetting) -> None:
    one = await shared.attach()
    link = shared.home / "link"
    link.symlink_to(shared.root)
    two = await shared.spawn(root=link)
    assert (await two.initialize(settings={}))["instanceId"] == one.instance


async def test_the_root_in_initialize_chooses_the_host(shared: HostSetting) -> None:
    one = await shared.attach()
    named = await _without_root(shared)
    answer = await named.initialize(settings={}, storageRoot=str(shared.root))
    assert answer["instanceId"] == one.instance
    early = await _without_root(shared)
    with pytest.raises(RpcError):
        await early.request("health")
    assert (await early.initialize(settings={}, storageRoot=str(shared.root)))["instanceId"] == one.instance


async def _without_root(shared: HostSetting) -> Sidecar:
    client = await RpcClient.spawn(SERVE, env=shared.environment, cwd=shared.home, stderr="collect")
    sidecar = Sidecar(client, shared.home)
    shared.clients.append(sidecar)
    return sidecar


async def test_a_root_in_use_by_another_sidecar_is_read_and_then_taken(
    shared: HostSetting, start: Start
) -> None:
    owner = await start()
    client = await shared.attach()
    with pytest.raises(RpcError) as refused:
        await client.launch("cat")
    assert refused.value.code == STORAGE
    assert str(owner.client.pid) in refused.value.message
    await owner.shut_down()
    task_id = await _launched(client)
    assert (await client.ended(task_id))[0]["status"] == "completed"


async def _launched(client: Sidecar) -> str:
    """Launch as soon as the Host has taken the root."""
    async with asyncio.timeout(10):
        while True:
            with contextlib.suppress(RpcError):
                return await client.launch("cat")
            await asyncio.sleep(0.1)


async def test_a_broken_settings_file_is_named(shared: HostSetting) -> None:
    config = shared.home / "config" / "subagent-sidecar" / "config.toml"
    config.write_text("[asyncTasks]\nmaximum = 3\n")
    client = await shared.spawn()
    assert await client.client.wait(20) in (1, 2)
    assert "maximum" in client.client.stderr_text
    assert "config.toml" in client.client.stderr_text


async def test_a_newer_client_replaces_an_idle_host_and_uses_a_busy_one(
    shared: HostSetting,
) -> None:
    shared.configure(host={"idleSeconds": 60})
    one = await shared.attach()
    task_id = await one.launch_ready("wait")
    assert _ask(shared, "99.0.0", "1") == "ok"
    refusal = _ask(shared, "99.0.0", "2")
    assert (
        refusal is not None
        and refusal.startswith("error version 99.0.0 cannot attach")
        and "host stop" in refusal
    )
    await one.request("asyncTasks/cancel", taskId=task_id)
    await one.shut_down()
    async with asyncio.timeout(10):
        while (shared.status() or {}).get("clients"):
            await asyncio.sleep(0.05)
    assert _ask(shared, __version__, "1") == "ok"
    async with asyncio.timeout(10):
        while (shared.status() or {}).get("clients"):
            await asyncio.sleep(0.05)
    assert _ask(shared, "99.0.0", "1") == "again"
    await shared.ended()


async def test_a_newer_client_replaces_a_host_without_runs_whose_clients_then_use_the_next_one(
    shared: HostSetting,
) -> None:
    shared.configure(host={"idleSeconds": 60})
    one = await shared.attach()
    before = (shared.status() or {})["pid"]
    older = _ask(shared, "0.0.1", "0")
    assert older is not None
    assert older.startswith("error version 0.0.1 cannot attach")
    assert _ask(shared, "99.0.0", "1") == "again"
    assert await one.client.wait(20) == 1
    again = await shared.attach()
    assert (shared.status() or {})["pid"] != before
    await again.launch_ready("wait")


def _ask(shared: HostSetting, version: str, protocol: str) -> str | None:
    reading, writing = os.pipe()
    request = attaching.request_bytes("attach", version, {}, {}).replace(
        b"protocol=1", b"protocol=%b" % protocol.encode()
    )
    deadline = time.monotonic() + 10
    # As a relay does, which tries again when a connection fails.
    while (link := attaching.ask(str(shared.root), request, (reading, writing), 20)) is None:
        assert time.monotonic() < deadline, "no Host listens"
        time.sleep(0.05)
    answer = link.line()
    link.close()
    os.close(reading)
    os.close(writing)
    return answer


async def test_garbage_at_the_socket_harms_nobody(shared: HostSetting) -> None:
    one = await shared.attach()
    path = next(address.known_sockets(str(shared.root)))
    for garbage in (
        b"",
        b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"9 9\nx",
        b"99999999999 0\n",
        b"6 0\nverb=x",
    ):
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(path)
            wire.sendall(garbage)
    for verb in ("attach", "nonsense"):
        link = attaching.ask(str(shared.root), attaching.request_bytes(verb, __version__, {}), (), 20)
        assert link is not None
        assert link.line() != "ok"
        link.close()
    assert (await one.request("asyncTasks/list"))["items"] == []


async def test_a_stream_without_framing_ends_that_client_only(shared: HostSetting) -> None:
    one, two = await shared.attach(), await shared.spawn()
    process = await asyncio.create_subprocess_exec(
        *(*SERVE, "--storage-root", str(shared.root)),
        env=shared.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await asyncio.wait_for(process.communicate(b"hello\n" + encode_frame(b"{}")), 20)
    assert process.returncode == 1
    assert b"framing error: " in err
    assert (await one.request("asyncTasks/list"))["items"] == []
    await two.client.close()
