"""The built-in agent, run by a real sidecar against a model that is pretended, on both wires it speaks.

After each test no process of a run is left (the fixture `start` sees to it).
"""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import Sidecar, Start
from tests.e2e.processes import command_of, events, first_process, gone
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("provider", ["openai", "anthropic"]),
]

Json = dict[str, Any]

KEY = "sk-a-secret-of-the-user"
OTHER_KEY = "AIza-another-secret-of-the-user"
SECONDS = 40


@pytest.fixture
async def driven(start: Start, home: Path, model: ModelServer, provider: str) -> Sidecar:
    text = "---\nname: builtin\ndescription: Works.\nrunner: own\nmodel: fake-model\n---\n"
    (home / "config" / "subagent-sidecar" / "agents" / "builtin.md").write_text(text)
    env = {
        "SIDECAR_AGENT_PROVIDER": provider,
        "SIDECAR_AGENT_BASE_URL": f"{model.url}/v1" if provider == "openai" else model.url,
        "SIDECAR_AGENT_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": KEY,
        "GEMINI_API_KEY": OTHER_KEY,
    }
    return await start(settings={"runners": {"own": {"type": "builtin", "env": env}}})


async def answer(sidecar: Sidecar, task_id: str, kind: str) -> None:
    """Wait until a task asks, and answer by the kind of the option."""

    def asked() -> list[Json]:
        newest = [change for change in sidecar.changes if change["id"] == task_id][-1:]
        assert [change["status"] for change in newest] in ([], ["running"]), newest
        return [change["attention"] for change in newest if "attention" in change]

    await sidecar.until(lambda: bool(asked()), SECONDS)
    (question,) = asked()
    option = next(each["optionId"] for each in question["options"] if each["kind"] == kind)
    await sidecar.request(
        "asyncTasks/answer", taskId=task_id, requestId=question["requestId"], optionId=option
    )


async def launch_speaking(sidecar: Sidecar, **more: Any) -> str:
    task_id = await sidecar.launch("builtin", "SCENARIO:slow", **more)
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "word3" in sidecar.text(task_id), SECONDS)
    return task_id


async def launch_with_shell(sidecar: Sidecar) -> str:
    """Launch a run whose command runs for ever, part of it in a session of its own, and wait for it."""
    task_id = await sidecar.launch("builtin", "SCENARIO:shell:(setsid sleep 300 &); sleep 300")
    await answer(sidecar, task_id, "allow_once")
    async with asyncio.timeout(SECONDS):
        while sum("300" in command_of(pid) for pid in find([task_id])) < 2:
            await asyncio.sleep(0.05)
    return task_id


async def test_an_allowed_write_is_done_and_reported(driven: Sidecar) -> None:
    task_id = await driven.launch("builtin", "SCENARIO:write:new/out.txt=written by the agent")
    await answer(driven, task_id, "allow_once")
    (task,) = await driven.ended(task_id)
    assert (task["status"], task["endReason"]) == ("completed", "goal"), task
    assert task["output"]["final_message"] == "All done."
    target = driven.workspace / "new" / "out.txt"
    assert target.read_text() == "written by the agent"
    assert (task["progress"]["toolCalls"], task["progress"]["inputTokens"]) == (1, 200)
    tools = await events(driven, task_id, "tool")
    diffs = [part for tool in tools for part in tool.get("content", []) if part["type"] == "diff"]
    assert (diffs[0]["path"], diffs[0]["newText"]) == (str(target), "written by the agent")
    assert tools[-1]["status"] == "completed"
    (file,) = (await driven.request("tasks/files", taskId=task_id))["files"]
    counts = [file[key] for key in ("path", "actions", "additions", "deletions")]
    assert counts == ["new/out.txt", ["created"], 1, 0]


async def test_a_rejected_write_is_not_done_and_the_model_continues(driven: Sidecar) -> None:
    task_id = await driven.launch("builtin", "SCENARIO:write:out.txt=never")
    await answer(driven, task_id, "reject_once")
    (task,) = await driven.ended(task_id)
    assert list(driven.workspace.iterdir()) == []
    assert (task["endReason"], task["output"]["final_message"]) == ("goal", "All done.")
    assert (await events(driven, task_id, "tool"))[-1]["status"] == "failed"


async def test_a_policy_s_reason_reaches_the_model(driven: Sidecar, model: ModelServer) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "deny"}})
    await driven.ended(await driven.launch("builtin", "SCENARIO:shell:touch out.txt"))
    assert list(driven.workspace.iterdir()) == []
    _, body = model.requests[-1]
    assert "Permission denied: the policy of this subagent does not allow it" in str(body)


async def test_a_command_finds_no_key_and_nothing_stored_holds_it(
    driven: Sidecar, model: ModelServer
) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "allowAll"}})
    command = "env; echo of the agent:; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' ' '"
    (task,) = await driven.ended(await driven.launch("builtin", f"SCENARIO:shell:{command}"))
    assert task["endReason"] == "goal"
    _, body = model.requests[-1]
    printed = str(body).partition("[exit status 0]")[0].rpartition("of the agent:")
    assert all("SUBAGENT_SIDECAR_TASK" in part for part in (printed[0], printed[2]))
    assert not [key for key in (KEY, OTHER_KEY) if key in str(body)]
    for path in driven.root.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


async def test_cancel_while_it_speaks_reaches_the_model(driven: Sidecar, model: ModelServer) -> None:
    task_id = await launch_speaking(driven)
    began = time.monotonic()
    answer = await driven.request("asyncTasks/cancel", taskId=task_id)
    assert answer["task"]["status"] == "cancelled"
    assert await asyncio.to_thread(model.until_aborted, 2)
    await gone(task_id, 3)
    assert time.monotonic() - began < 3
    assert (await driven.task(task_id))["partial"]["final_message"].startswith("word0 word1")


async def test_cancel_while_a_command_runs_leaves_nothing_of_it(driven: Sidecar) -> None:
    task_id = await launch_with_shell(driven)
    assert (await driven.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    await gone(task_id, 3)
    assert (await driven.task(task_id))["endReason"] == "cancelledByUser"


async def test_a_killed_agent_leaves_no_command_and_says_so(driven: Sidecar) -> None:
    task_id = await launch_with_shell(driven)
    os.kill(first_process(task_id), signal.SIGKILL)
    (task,) = await driven.ended(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "killed by signal 9" in task["error"]
    assert find([task_id]) == []


async def test_a_killed_sidecar_leaves_nothing_once_another_started(
    driven: Sidecar, start: Start, model: ModelServer
) -> None:
    task_id = await launch_speaking(driven)
    os.kill(driven.client.pid, signal.SIGKILL)
    assert await driven.client.wait(5) is not None
    assert await asyncio.to_thread(model.until_aborted, 5)
    again = await start()
    assert find([task_id]) == []
    assert (await again.task(task_id))["endReason"] == "lost"


async def test_a_time_limit_ends_the_model_call_too(driven: Sidecar, model: ModelServer) -> None:
    task_id = await launch_speaking(driven, timeoutSeconds=20)
    (task,) = await driven.ended(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "timeout")
    assert await asyncio.to_thread(model.until_aborted, 5)
    await gone(task_id, 6)


async def test_a_server_that_refuses_is_reported_without_the_key(
    driven: Sidecar, provider: str, home: Path
) -> None:
    env = {"SIDECAR_AGENT_BASE_URL": "http://127.0.0.1:9/v1"}
    await driven.request("settings/update", settings={"runners": {"own": {"type": "builtin", "env": env}}})
    (task,) = await driven.ended(await driven.launch("builtin", "SCENARIO:say:hi"))
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "the connection to the model's server failed" in task["error"]
    assert KEY not in str(task)


async def test_a_missing_key_is_named_at_the_launch(driven: Sidecar) -> None:
    env = {"SIDECAR_AGENT_KEY_VARIABLE": "NOT_SET_ANYWHERE"}
    await driven.request("settings/update", settings={"runners": {"own": {"type": "builtin", "env": env}}})
    with pytest.raises(RpcError, match="NOT_SET_ANYWHERE is not set") as caught:
        await driven.launch("builtin")
    assert caught.value.code == -32014
