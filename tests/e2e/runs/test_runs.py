"""Runs over the wire: launch, stream, end, cancel, limits, and nothing left behind."""

import asyncio
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from sidecar.rpc.errors import RpcError
from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import Sidecar, Start
from tests.e2e.processes import events


async def test_a_run_is_launched_streams_and_ends_with_its_final_message(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch("cat", "say this back")
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    (task,) = await sidecar.ended(task_id)
    assert task["status"] == "completed"
    assert task["endReason"] == "goal"
    assert task["output"] == {
        "terminate_reason": "GOAL",
        "emitted_vars": {},
        "final_message": "say this back",
    }
    await sidecar.until(lambda: sidecar.events.get(task_id, [{}])[-1].get("status") == "completed")
    assert [event["seq"] for event in sidecar.events[task_id]] == list(
        range(1, len(sidecar.events[task_id]) + 1)
    )
    assert sidecar.text(task_id) == "say this back"


async def test_a_run_that_fails_keeps_its_output(sidecar: Sidecar) -> None:
    (task,) = await sidecar.ended(await sidecar.launch("fail"))
    assert (task["status"], task["endReason"], task["error"]) == ("failed", "error", "why")
    assert task["partial"]["final_message"] == "half"


async def test_event_lines_become_events_progress_and_variables(sidecar: Sidecar) -> None:
    lines = [
        '{"type":"tool","name":"read","status":"started"}',
        '{"type":"tool","name":"read","status":"completed"}',
        '{"type":"emit","name":"count","value":[1,2]}',
        '{"type":"usage","inputTokens":70,"outputTokens":7,"cost":0.5}',
        '{"type":"result","text":"all done"}',
    ]
    (task,) = await sidecar.ended(
        await sidecar.launch("events", "printf '%s\\n' " + " ".join(f"'{line}'" for line in lines))
    )
    assert task["output"]["emitted_vars"] == {"count": [1, 2]}
    assert task["output"]["final_message"] == "all done"
    progress = task["progress"]
    assert (progress["toolCalls"], progress["inputTokens"], progress["cost"]) == (1, 70, 0.5)
    assert "currentTool" not in progress


async def test_lists_and_notifications_leave_out_large_variables_which_the_run_itself_has(
    sidecar: Sidecar,
) -> None:
    line = '{"type":"emit","name":"%s","value":"%*d"}\\n'
    task_id = await sidecar.launch("events", f"printf '{line}' large 3000000 1 small 10 2")
    other = await sidecar.launch("cat", "more")
    (whole,) = await sidecar.ended(task_id)
    size = {name: len(value) for name, value in whole["output"]["emitted_vars"].items()}
    assert (size, "omittedVars" in whole) == ({"large": 3_000_000, "small": 10}, False)
    assert await sidecar.task(task_id) == whole
    several = await sidecar.ended(task_id, other)
    listed = await sidecar.request("asyncTasks/list")
    await sidecar.until(lambda: any("output" in task for task in sidecar.changes if task["id"] == task_id))
    notified = next(task for task in reversed(sidecar.changes) if task["id"] == task_id)
    for short in (several[0], next(task for task in listed["items"] if task["id"] == task_id), notified):
        assert list(short["output"]["emitted_vars"]) == ["small"]
        assert short["omittedVars"] == 1


@pytest.mark.parametrize("name", ["wait", "stubborn"])
async def test_cancel_is_acknowledged_at_once_and_leaves_no_process(sidecar: Sidecar, name: str) -> None:
    task_id = await sidecar.launch_ready(name)
    began = time.monotonic()
    answer = await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert time.monotonic() - began < 1
    assert answer["cancelled"]
    assert (answer["task"]["status"], answer["task"]["endReason"]) == ("cancelled", "cancelledByUser")
    again = await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert not again["cancelled"]
    await until_gone(task_id, 5 - (time.monotonic() - began))


async def test_what_a_client_says_to_its_cancel_is_kept_with_the_end(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("wait")
    await sidecar.request("asyncTasks/cancel", taskId=task_id, reason="wrong branch")
    await sidecar.request("asyncTasks/cancel", taskId=task_id, reason="too late")
    events = (await sidecar.request("asyncTasks/events", taskId=task_id))["events"]
    assert (events[-1]["status"], events[-1]["reason"]) == ("cancelled", "wrong branch")


async def test_the_end_of_input_ends_every_run_within_three_seconds(sidecar: Sidecar) -> None:
    task_ids = [await sidecar.launch_ready("stubborn") for _ in range(3)]
    began = time.monotonic()
    sidecar.client.close_input()
    assert await sidecar.client.wait(10) == 1
    assert time.monotonic() - began < 3.5
    assert find(task_ids) == []


async def test_shutdown_ends_runs_as_host_exit_and_says_so_after_a_restart(
    sidecar: Sidecar, start: Start
) -> None:
    await sidecar.launch_ready("wait")
    task_id = await sidecar.launch_ready("wait", notifyModel=True)
    assert await sidecar.shut_down() == 0
    again = await start()
    task = await again.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "hostExit")
    assert task["partial"]["final_message"] == "ready"
    reminder = await again.request("reminders/next")
    assert reminder["taskIds"] == [task_id]


async def test_a_time_limit_fails_the_run_and_keeps_its_words(sidecar: Sidecar) -> None:
    (task,) = await sidecar.ended(await sidecar.launch("wait", timeoutSeconds=0.5))
    assert (task["status"], task["endReason"]) == ("failed", "timeout")
    assert "TIMEOUT after 0.5s" in task["error"]
    await until_gone(task["id"], 5)


async def test_a_time_limit_that_is_reduced_is_reported(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("wait")
    reduced = await sidecar.launch("wait", timeoutSeconds=5000)
    assert (await sidecar.task(reduced))["timeoutSeconds"] == 1800
    (shown,) = await events(sidecar, reduced, "log")
    assert "5000s was reduced to the configured ceiling of 1800s" in shown["text"]
    assert await events(sidecar, task_id, "log") == []


async def test_thirty_launches_at_once_admit_as_many_as_the_limit(sidecar: Sidecar) -> None:
    await sidecar.request("asyncTasks/setMax", max=3)
    answers = await asyncio.gather(*(sidecar.launch("wait") for _ in range(30)), return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, RpcError)]
    assert len(errors) == 27
    assert {error.code for error in errors} == {-32012}
    assert errors[0].data == {"running": 3, "max": 3}
    assert (await sidecar.request("asyncTasks/cancelAll"))["cancelled"] == 3


async def test_over_the_limit_a_queue_is_first_come_first_served(sidecar: Sidecar) -> None:
    await sidecar.request("asyncTasks/setMax", max=1)
    first = await sidecar.launch_ready("wait")
    queued = [await sidecar.launch("wait", f"goal {n}", overLimit="queue") for n in range(3)]
    states = [await sidecar.task(task_id) for task_id in queued]
    assert [(task["status"], task["queuePosition"]) for task in states] == [
        ("queued", 1),
        ("queued", 2),
        ("queued", 3),
    ]
    assert "launchedAt" not in states[0]
    assert (await sidecar.request("asyncTasks/cancel", taskId=queued[1]))["cancelled"]
    assert (await sidecar.task(queued[2]))["queuePosition"] == 2
    await sidecar.request("asyncTasks/cancel", taskId=first)
    await sidecar.until(
        lambda: any(c["id"] == queued[0] and c["status"] == "running" for c in sidecar.changes)
    )
    started = await sidecar.task(queued[0])
    assert started["launchedAt"] >= started["queuedAt"]
    assert (await sidecar.request("asyncTasks/list"))["counts"]["queued"] == 1
    listed = await sidecar.request("tasks/list")
    assert queued[2] not in [task["id"] for task in listed["items"]]
    await sidecar.request("asyncTasks/cancelAll")


async def test_a_queue_empties_without_losing_a_slot(sidecar: Sidecar) -> None:
    await sidecar.request("asyncTasks/setMax", max=2)
    ids = [await sidecar.launch("cat", f"goal {n}", overLimit="queue") for n in range(12)]
    tasks = await sidecar.ended(*ids)
    assert [task["output"]["final_message"] for task in tasks] == [f"goal {n}" for n in range(12)]


IMPOSSIBLE: list[tuple[dict[str, Any], int]] = [
    ({"subagentName": "nobody"}, -32013),
    ({"subagentName": "cat", "goalPrompt": " "}, -32602),
    ({"subagentName": "cat", "workspaceDir": "/no/such/folder"}, -32602),
    ({"subagentName": "cat", "workspaceDir": "relative"}, -32602),
    ({"subagentName": "cat", "expectedOutputs": {"n": "how many"}}, -32602),
    ({"subagentName": "cat", "toolWhitelist": []}, -32602),
    ({"subagentName": "cat", "maxTurns": 3}, -32602),
    ({"subagentName": "cat", "maxTurns": 0}, -32602),
    ({"subagentName": "cat", "expectedOutputs": {" ": "x"}}, -32602),
    ({"subagentName": "cat", "isolation": "worktree"}, -32602),
    ({"subagentName": "cat", "timeoutSeconds": 0}, -32602),
    ({"subagentName": "cat", "gracePeriodSeconds": -5}, -32602),
    ({"subagentName": "gone"}, -32014),
    ({"subagentName": "lost-runner"}, -32014),
]
"""Parameters of launches, each with the code of its refusal."""


async def test_a_launch_that_cannot_be_is_refused_and_leaves_no_record(start: Start, home: Path) -> None:
    agents = home / "config" / "subagent-sidecar" / "agents"
    (agents / "gone.md").write_text("---\nname: gone\ndescription: x\nrunner: gone\n---\n")
    (agents / "lost.md").write_text("---\nname: lost-runner\ndescription: x\nrunner: nowhere\n---\n")
    runners = {
        "cat": {"type": "command", "command": ["cat"]},
        "gone": {"type": "command", "command": ["no-such-program"]},
    }
    sidecar = await start(settings={"runners": runners})
    for params, code in IMPOSSIBLE:
        with pytest.raises(RpcError) as caught:
            await sidecar.request("asyncTasks/launch", **{"goalPrompt": "x", **params})
        assert caught.value.code == code, (params, caught.value.message)
        named = list(params)[-1] in caught.value.message or "goalPrompt" in caught.value.message
        assert code != -32602 or named, (params, caught.value.message)
    assert (await sidecar.request("asyncTasks/list"))["items"] == []
    assert (await sidecar.request("asyncTasks/list"))["items"] == []


@pytest.mark.slow
async def test_ids_are_resolved_by_unique_prefix(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch("cat")
    assert (await sidecar.task(task_id[:12]))["id"] == task_id
    with pytest.raises(RpcError) as caught:
        await sidecar.task("zzz")
    assert (caught.value.code, caught.value.data) == (-32010, {"taskId": "zzz"})
    for _ in range(17):
        await sidecar.ended(await sidecar.launch("cat"))
    listed = await sidecar.request("asyncTasks/list")
    first = [task["id"][0] for task in listed["items"]]
    shared = next(letter for letter in first if first.count(letter) > 1)
    with pytest.raises(RpcError) as caught:
        await sidecar.task(shared)
    assert caught.value.code == -32011
    assert len(caught.value.data["candidates"]) == first.count(shared)


async def test_a_late_subscriber_gets_every_event_once(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch("events", "for i in $(seq 300); do echo line $i; done")
    await sidecar.ended(task_id)
    page = await sidecar.request("asyncTasks/events", taskId=task_id, limit=20_000)
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=2)
    await sidecar.until(lambda: len(sidecar.events.get(task_id, [])) >= len(page["events"]) - 2)
    assert sidecar.events[task_id] == page["events"][2:]


@pytest.mark.slow
async def test_fifty_megabytes_of_output_stay_out_of_memory(sidecar: Sidecar) -> None:
    process = psutil.Process(sidecar.client.pid)
    await sidecar.ended(await sidecar.launch("cat"))
    before = process.memory_info().rss
    task_id = await sidecar.launch("events", "yes 0123456789abcdef0123456789abcdef | head -c 50000000")
    peak = before
    while (await sidecar.task(task_id))["status"] == "running":
        peak = max(peak, process.memory_info().rss)
    peak = max(peak, process.memory_info().rss)
    assert (await sidecar.task(task_id))["status"] == "completed"
    assert peak - before < 100_000_000


@pytest.mark.slow
async def test_a_line_of_five_megabytes_survives_whole(sidecar: Sidecar) -> None:
    program = "import json; print(json.dumps({'type': 'message', 'text': 'x' * 5_000_000}))"
    task_id = await sidecar.launch("events", f'exec python3 -c "{program}"')
    await sidecar.ended(task_id)
    length, seq, more = 0, 0, True
    while more:
        page = await sidecar.request("asyncTasks/events", taskId=task_id, afterSeq=seq)
        length += sum(len(event["text"]) for event in page["events"] if event["type"] == "message")
        seq, more = page["lastSeq"], page["more"]
    assert length == 5_000_000


async def test_a_run_is_in_the_list_while_it_runs_and_afterwards(sidecar: Sidecar) -> None:
    waiting = await sidecar.launch_ready("wait")
    done, failed = await sidecar.launch("cat", "say\nthis"), await sidecar.launch("fail")
    await sidecar.ended(done, failed)
    rows = {task["id"]: task for task in (await sidecar.request("tasks/list"))["items"]}
    assert (rows[waiting]["status"], rows[waiting]["outcome"]) == ("active", "streaming")
    assert rows[done]["status"] == "completed"
    assert rows[done]["title"] == "say this"
    assert rows[done]["workspaceDir"] == str(sidecar.workspace)
    assert rows[done]["mode"]["current"] == "cat"
    assert rows[done]["product"] == "sidecar"
    assert "tokenUsage" not in rows[done]
    assert rows[failed]["status"] == "failed"
    await sidecar.request("asyncTasks/cancel", taskId=waiting)
    (row,) = [t for t in (await sidecar.request("tasks/list"))["items"] if t["id"] == waiting]
    assert (row["status"], row["outcome"]) == ("abandoned", "cancelled")
    messages = await sidecar.request("tasks/messages", taskId=done)
    assert messages["messages"][0]["text"] == "say\nthis"


async def test_wait_for_any_and_a_deadline(sidecar: Sidecar) -> None:
    waiting, done = await sidecar.launch_ready("wait"), await sidecar.launch("cat")
    answer = await sidecar.request("asyncTasks/wait", taskIds=[waiting, done], mode="any")
    assert answer["pending"] == [waiting]
    assert not answer["timedOut"]
    answer = await sidecar.request("asyncTasks/wait", taskIds=[waiting], timeoutSeconds=0.1)
    assert answer["timedOut"]


async def test_a_second_process_on_the_root_reads_only(sidecar: Sidecar, start: Start) -> None:
    task_id = await sidecar.launch_ready("wait")
    other = await start()
    assert (await other.task(task_id))["status"] == "running"
    for method, params in (
        ("asyncTasks/launch", {"subagentName": "cat", "goalPrompt": "x"}),
        ("asyncTasks/cancel", {"taskId": task_id}),
    ):
        with pytest.raises(RpcError) as caught:
            await other.request(method, **params)
        assert caught.value.code == -32016
        assert caught.value.data["reason"] == f"root in use by pid {sidecar.client.pid}"
    assert (await sidecar.task(task_id))["status"] == "running"


@pytest.mark.slow
async def test_a_second_process_follows_a_run_of_the_first_to_its_end(sidecar: Sidecar, start: Start) -> None:
    task_id = await sidecar.launch("wait")
    other = await start()
    await other.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await other.until(lambda: "ready" in other.text(task_id))
    short = await other.request("asyncTasks/wait", taskIds=[task_id], timeoutSeconds=0.1)
    assert (short["timedOut"], short["pending"]) == (True, [task_id])
    waiting = asyncio.create_task(other.ended(task_id))
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert [task["status"] for task in await waiting] == ["cancelled"]
    await other.until(lambda: other.events[task_id][-1].get("status") == "cancelled")


async def until_gone(task_id: str, seconds: float) -> None:
    async with asyncio.timeout(max(seconds, 0)):
        while find([task_id]):
            await asyncio.sleep(0.02)
