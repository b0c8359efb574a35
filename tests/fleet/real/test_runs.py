"""Runs on a real cluster of three nodes: what works on one machine works there too."""

import asyncio
import base64
import json
import subprocess

import pytest

from sidecar.rpc.errors import RpcError
from sidecar.subagents.runners.process.marker import find
from tests.fleet.conftest import Fleet, Json

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("runs")]

PNG = b"\x89PNG\r\n\x1a\n..."
COUNT = 'for i in $(seq 200); do echo "{\\"type\\": \\"emit\\", \\"name\\": \\"n\\", \\"value\\": $i}"; done'


def emitted(events: list[Json]) -> list[int]:
    return [event["value"] for event in events if event["type"] == "emit"]


def is_contiguous(events: list[Json]) -> bool:
    numbers = [event["nodeSeq"] for event in events if "nodeSeq" in event]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def git(fleet: Fleet, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=fleet.workspace, check=True, capture_output=True, text=True)
    return done.stdout.strip()


async def allow(fleet: Fleet, run: str) -> None:
    """Allow the one call that an agent asks for."""
    waiting = await fleet.until(lambda: fleet.task(run), lambda task: "attention" in task)
    attention = waiting["attention"]
    once = next(each["optionId"] for each in attention["options"] if each["kind"] == "allow_once")
    await fleet.request("asyncTasks/answer", taskId=run, requestId=attention["requestId"], optionId=once)


async def test_a_command_streams_in_order_and_its_changes_come_back(fleet: Fleet) -> None:
    (fleet.workspace / "untracked.txt").write_text("untracked\n")
    run = await fleet.launch("script", f"{COUNT}; cat untracked.txt; echo two >> a.txt; echo b > b.txt")
    task, events = await fleet.ended(run), await fleet.events(run)
    assert (task["status"], task["endReason"]) == ("completed", "goal")
    assert (task["placement"]["kind"], task["placement"]["node"]) == ("ray", "B")
    assert emitted(events) == list(range(1, 201)) and is_contiguous(events)
    assert task["output"]["final_message"] == "untracked"
    assert task["changes"] == {"files": 2, "additions": 2, "deletions": 0}
    assert git(fleet, "show", f"refs/sidecar/{run}:a.txt") == "one\ntwo"
    assert (fleet.workspace / "a.txt").read_text() == "one\n"


async def test_an_agent_asks_gets_messages_and_a_transcript(fleet: Fleet) -> None:
    run = await fleet.launch("agent", "say hello\nwrite new.txt text\nwait")
    await allow(fleet, run)
    await fleet.until_event(run, lambda event: event.get("status") == "completed" and event["type"] == "tool")
    await fleet.request("asyncTasks/send", taskId=run, text="say again")
    await fleet.request("asyncTasks/cancel", taskId=run)
    task = await fleet.ended(run)
    assert task["status"] == "cancelled" and task["partial"]["final_message"] == "hello"
    stored = await fleet.request("tasks/messages", taskId=run)
    assert any("hello" in message.get("text", "") for message in stored["messages"])
    await fleet.nothing_left()
    task = await fleet.until(lambda: fleet.task(run), lambda task: task["changes"]["files"] == 1)
    assert git(fleet, "show", f"refs/sidecar/{run}:new.txt") == "text"


async def test_an_agent_gets_attachments_and_directories_of_its_repository(fleet: Fleet) -> None:
    (fleet.workspace / "shot.png").write_bytes(PNG)
    (fleet.workspace / "src").mkdir()
    (fleet.workspace / "src" / "b.txt").write_text("b")
    (fleet.home / "notes.txt").write_text("notes")
    given = [{"path": "shot.png"}, {"path": str(fleet.home / "notes.txt")}]
    folder = str(fleet.workspace / "src")
    run = await fleet.launch("equipped", attachments=given, additionalDirectories=[folder])
    assert (await fleet.ended(run))["status"] == "completed"
    lines = git(fleet, "show", f"refs/sidecar/{run}:requests.jsonl").splitlines()
    params = {call["method"]: call["params"] for call in map(json.loads, lines)}
    _, image, link = params["session/prompt"]["prompt"]
    assert image["data"] == base64.b64encode(PNG).decode()
    assert link["name"] == "notes.txt" and link["uri"].endswith(f"{run}/attachments/1/notes.txt")
    (there,) = params["session/new"]["additionalDirectories"]
    assert there.endswith(f"{run}/tree/src")
    with pytest.raises(RpcError, match=r"is not in the repository .*use placement: local") as refused:
        await fleet.launch("equipped", additionalDirectories=[str(fleet.home)])
    assert refused.value.code == -32014


async def test_a_resumed_run_starts_with_the_changes_of_the_one_before(fleet: Fleet) -> None:
    first = await fleet.launch("agent", "write new.txt text")
    await allow(fleet, first)
    assert (await fleet.ended(first))["changes"]["files"] == 1
    resumed = await fleet.request("asyncTasks/resume", taskId=first)
    run = resumed["task"]["id"]
    await allow(fleet, run)  # it gets the whole goal again, and writes what is already there
    task, events = await fleet.ended(run), await fleet.events(run)
    assert task["status"] == "completed" and task["changes"]["files"] == 0
    assert git(fleet, "show", f"refs/sidecar/{run}:new.txt") == "text"
    assert any(f"with the changes of run {first}" in event.get("text", "") for event in events)


async def test_a_message_begins_another_turn(fleet: Fleet) -> None:
    run = await fleet.launch("agent", "say one\nwrite new.txt text")
    waiting = await fleet.until(lambda: fleet.task(run), lambda task: "attention" in task)
    await fleet.request("asyncTasks/send", taskId=run, text="say two")
    attention = waiting["attention"]
    allow = next(each["optionId"] for each in attention["options"] if each["kind"] == "allow_once")
    await fleet.request("asyncTasks/answer", taskId=run, requestId=attention["requestId"], optionId=allow)
    task = await fleet.ended(run)
    assert task["output"]["final_message"] == "two"


async def test_a_cancel_leaves_no_process_on_the_node(fleet: Fleet) -> None:
    run = await fleet.launch("wait")
    await fleet.until_event(run, lambda event: event["type"] == "message")
    assert len(await asyncio.to_thread(find, [run])) >= 3
    await fleet.request("asyncTasks/cancel", taskId=run)
    await fleet.nothing_left()


async def test_a_full_cluster_queues_with_its_reason(fleet: Fleet) -> None:
    running = [await fleet.launch("wait") for _ in range(2)]
    for run in running:
        await fleet.until_event(run, lambda event: event["type"] == "message")
    third = await fleet.launch("script", "echo third")
    task = await fleet.task(third)
    assert (task["status"], task["waiting"]["reason"]) == ("queued", "clusterSlots")
    await fleet.request("asyncTasks/cancel", taskId=running[0])
    assert (await fleet.ended(third))["status"] == "completed"
    await fleet.request("asyncTasks/cancel", taskId=running[1])


async def test_secrets_travel_as_names_and_agents_do_not_see_the_token(fleet: Fleet) -> None:
    run = await fleet.launch("secret")
    assert (await fleet.ended(run))["output"]["final_message"] == "a secret of the node\n0"
    with pytest.raises(RpcError, match=r"\$\{env:KEY\}") as refused:
        await fleet.launch("literal")
    assert refused.value.code == -32014


def is_described(status: Json) -> bool:
    return all("version" in node for node in status["nodes"] if node["slots"])


@pytest.mark.parametrize(
    ("settings", "agent", "reason"),
    [
        ({"labels": {"fleet.name": "C"}}, "script", r"no node has the labels fleet\.name=C.*fleet\.labels"),
        ({}, "opencode", r"'opencode' is not installed on node.*install it"),
        ({"address": "127.0.0.1:9"}, "script", r"no cluster answers at 127\.0\.0\.1:9.*ray start"),
        ({"tokenPath": "~/wrong"}, "script", r"refuses the token.*fleet\.tokenPath"),
        ({"tokenPath": "/dev/null"}, "script", r"'/dev/null' contains no token"),
        ({"gateway": ["/no/such"]}, "script", r"cannot be started.*fleet\.gateway"),
    ],
)
async def test_what_cannot_work_is_refused_with_the_remedy(
    fleet: Fleet, settings: Json, agent: str, reason: str
) -> None:
    await fleet.client.close()
    (fleet.home / "wrong").write_text("ff" * 24)
    await fleet.open(**settings)
    if agent == "opencode":  # a node that is slow to describe itself is not refused
        await fleet.until(lambda: fleet.request("fleet/status"), is_described)
    with pytest.raises(RpcError, match=reason) as refused:
        await fleet.launch(agent)
    assert refused.value.code == -32014
