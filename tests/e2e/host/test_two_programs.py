"""Two real clients of one Host: one in Python, one in JavaScript with the library of VS Code."""

import asyncio
import json
import os
import sys
from typing import Any, cast

import pytest

from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import RpcError
from tests.e2e.agents.test_agents import answer, asked
from tests.e2e.conftest import REPO, Sidecar, define
from tests.e2e.host.conftest import SERVE, HostSetting
from tests.e2e.host.node_client import NodeClient

Json = dict[str, Any]
INVALID_STATE = -32017


async def in_node(shared: HostSetting) -> Sidecar:
    """Attach a client in JavaScript and initialize it."""
    command = [*SERVE, "--storage-root", str(shared.root)]
    client = await NodeClient.spawn(command, shared.environment, shared.home)
    sidecar = Sidecar(cast(RpcClient, client), shared.home)
    shared.clients.append(sidecar)
    sidecar.instance = (await sidecar.initialize(clientInfo={"name": "node"}, settings={}))["instanceId"]
    return sidecar


async def add_runner(shared: HostSetting, client: Sidecar, name: str, runner: Json) -> None:
    define(shared.home, [name])
    await client.request("settings/update", settings={"runners": {name: runner}})


@pytest.mark.parametrize("order", ["python first", "node first"])
async def test_one_launches_and_the_other_watches_and_cancels(shared: HostSetting, order: str) -> None:
    clients = [await shared.attach("python"), await in_node(shared)]
    one, two = clients if order == "python first" else reversed(clients)
    assert one.instance == two.instance
    task_id = await one.launch_ready("wait")
    await two.until(lambda: any(task["id"] == task_id for task in two.changes))
    await two.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await two.until(lambda: "ready" in two.text(task_id))
    assert (await two.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    await one.until(lambda: any(task.get("endReason") == "cancelledByUser" for task in one.changes))
    assert (await one.ended(task_id))[0]["status"] == "cancelled"


@pytest.mark.parametrize("order", ["python first", "node first"])
async def test_a_question_to_one_is_answered_by_the_other_and_only_once(
    shared: HostSetting, order: str
) -> None:
    clients = [await shared.attach("python"), await in_node(shared)]
    one, two = clients if order == "python first" else reversed(clients)
    agent = {"type": "acp", "command": [sys.executable, str(REPO / "tests/agents/raw.py"), "ask"]}
    await add_runner(shared, one, "raw", agent)
    call = {"toolCallId": "t1", "kind": "execute", "title": "Build", "rawInput": {"command": "make"}}
    task_id = await one.launch("raw", json.dumps([call]))
    seen_by_one, seen_by_two = await asked(one, task_id), await asked(two, task_id)
    assert seen_by_one == seen_by_two
    await answer(two, task_id, seen_by_two, "allow_once")
    with pytest.raises(RpcError) as late:
        await answer(one, task_id, seen_by_one, "reject_once")
    assert late.value.code == INVALID_STATE
    for client in (one, two):
        assert (await client.ended(task_id))[0]["output"]["final_message"] == "allow_once"


async def test_both_reload_and_find_their_stream_without_gap_or_repeat(shared: HostSetting) -> None:
    one, two = await shared.attach("python"), await in_node(shared)
    fifo = shared.home / "output"
    os.mkfifo(fifo)
    await add_runner(shared, one, "pipe", {"type": "command", "command": ["cat", str(fifo)]})
    task_id = await two.launch("pipe")
    writer = await asyncio.to_thread(fifo.open, "w", buffering=1)
    streams: list[list[Json]] = [[], []]
    lines = 0
    for _round in range(3):
        for client, stream in zip((one, two), streams, strict=True):
            await client.request("asyncTasks/subscribe", taskId=task_id, afterSeq=_last(stream))
        for client, stream in zip((one, two), streams, strict=True):
            lines += 1
            writer.write(f"line {lines}\n")
            await client.until(lambda: f"line {lines}\n" in _text(stream + client.events.get(task_id, [])))  # noqa: B023
        await asyncio.gather(one.client.close(), two.client.close())
        for client, stream in zip((one, two), streams, strict=True):
            stream += client.events.pop(task_id, [])
        lines += 1
        writer.write(f"line {lines}\n")  # while no client is attached
        one, two = await shared.attach("python"), await in_node(shared)
        assert (await two.task(task_id))["status"] == "running"
    for client, stream in zip((one, two), streams, strict=True):
        await client.request("asyncTasks/subscribe", taskId=task_id, afterSeq=_last(stream))
    writer.close()
    for client, stream in zip((one, two), streams, strict=True):
        await client.ended(task_id)
        await client.until(lambda: _is_over(client.events.get(task_id, [])))  # noqa: B023
        stream += client.events[task_id]
    page = await one.request("asyncTasks/events", taskId=task_id, limit=5000)
    assert streams == [page["events"], page["events"]]
    assert _text(page["events"]) == "".join(f"line {number}\n" for number in range(1, lines + 1))


def _last(events: list[Json]) -> int:
    return events[-1]["seq"] if events else 0


def _text(events: list[Json]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "message")


def _is_over(events: list[Json]) -> bool:
    return any(event["type"] == "state" and event["status"] == "completed" for event in events)
