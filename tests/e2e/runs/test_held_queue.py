"""Launches of a runner whose model refuses requests wait in a real sidecar; one probes, the rest follow."""

import asyncio
import sys
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, Sidecar, Start, define
from tests.e2e.processes import events, until_retrying
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]
SECONDS = 60

SCRIPTED: Json = {"type": "acp", "command": [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]}


@pytest.fixture(autouse=True)
def definitions(home: Path) -> Path:
    return define(home, ["scripted", "other"])


@pytest.fixture
async def sidecar(start: Start) -> Sidecar:
    return await start(settings={"runners": {"scripted": SCRIPTED, "other": SCRIPTED}})


async def refuse(sidecar: Sidecar, words: str = "rate limit reached, try again in 5 minutes") -> None:
    """Have a run fail because its model refuses a request."""
    (task,) = await sidecar.ended(await sidecar.launch("scripted", f"fail '{words}'"))
    assert (task["status"], task["errorKind"]) == ("failed", "rateLimit"), task


async def until_running(sidecar: Sidecar, task_id: str) -> None:
    def is_running() -> bool:
        return any(each["id"] == task_id and each["status"] == "running" for each in sidecar.changes)

    await sidecar.until(is_running, SECONDS)


async def test_a_launch_waits_until_the_model_may_answer_again(sidecar: Sidecar) -> None:
    await refuse(sidecar)
    task = await sidecar.task(await sidecar.launch("scripted", "say hi", notifyModel=True))
    assert (task["status"], task["queuePosition"]) == ("queued", 1)
    assert task["waiting"]["reason"] == "rateLimit"
    assert 290_000 < task["waiting"]["until"] - task["queuedAt"] <= 300_000
    listed = await sidecar.request("tools/call", name="check_async_tasks", arguments={})
    assert "rate limit reached, starts in 4m" in listed["llmContent"]


async def test_the_terminal_shows_why_a_launch_waits(sidecar: Sidecar, environment: dict[str, str]) -> None:
    await refuse(sidecar)
    await sidecar.launch("scripted", "say hi")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sidecar", "ps", "--storage-root", str(sidecar.root)),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert "Queued (next): rate limit reached until " in out.decode()


async def test_other_runners_are_not_held(sidecar: Sidecar) -> None:
    await refuse(sidecar)
    held = await sidecar.launch("scripted", "say hi")
    (task,) = await sidecar.ended(await sidecar.launch("other", "say hi"))
    assert task["status"] == "completed"
    assert (await sidecar.task(held))["status"] == "queued"


async def test_a_held_launch_that_is_started_now_opens_the_queue(sidecar: Sidecar) -> None:
    await refuse(sidecar)
    first, second = [await sidecar.launch("scripted", "say hi") for _ in range(2)]
    answer = await sidecar.request("asyncTasks/startNow", taskId=second)
    assert "waiting" not in answer["task"]
    tasks = await sidecar.ended(first, second)
    assert [task["status"] for task in tasks] == ["completed"] * 2
    assert tasks[0]["launchedAt"] >= tasks[1]["launchedAt"]


async def test_a_held_launch_is_cancelled_at_once(sidecar: Sidecar) -> None:
    await refuse(sidecar)
    held = await sidecar.launch("scripted", "say hi")
    answer = await sidecar.request("asyncTasks/cancel", taskId=held)
    assert (answer["cancelled"], answer["task"]["status"]) == (True, "cancelled")
    assert "waiting" not in answer["task"]


async def test_one_launch_probes_after_the_hold_and_the_rest_follow(sidecar: Sidecar) -> None:
    await refuse(sidecar, "rate limit reached, try again in 4s")
    goals = ["wait", "say two", "say three"]
    probe, *rest = [await sidecar.launch("scripted", goal) for goal in goals]
    until = (await sidecar.task(probe))["waiting"]["until"]
    await until_running(sidecar, probe)
    assert [(await sidecar.task(each))["waiting"] for each in rest] == [{"reason": "rateLimit"}] * 2
    assert (await sidecar.task(probe))["launchedAt"] >= until - 50
    await sidecar.request("asyncTasks/cancel", taskId=probe)  # without an answer: the next one probes
    await sidecar.ended(*rest)
    assert [(await sidecar.task(each))["status"] for each in rest] == ["completed"] * 2


async def test_a_probe_that_is_refused_makes_the_rest_wait_longer(sidecar: Sidecar) -> None:
    await refuse(sidecar, "rate limit reached, try again in 3s")
    probe = await sidecar.launch("scripted", "fail 'too many requests'")
    held = await sidecar.launch("scripted", "say hi")
    (task,) = await sidecar.ended(probe)
    waiting = (await sidecar.task(held))["waiting"]
    assert 29_000 < waiting["until"] - task["completedAt"] <= 30_000


@pytest.fixture
async def driven(start: Start, home: Path, model: ModelServer) -> Sidecar:
    env = {
        "SIDECAR_AGENT_PROVIDER": "openai",
        "SIDECAR_AGENT_BASE_URL": f"{model.url}/v1",
        "SIDECAR_AGENT_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": "sk-1",
    }
    text = "---\nname: own\ndescription: Works.\nrunner: own\nmodel: fake-model\n---\n"
    (define(home, []) / "own.md").write_text(text)
    return await start(settings={"runners": {"own": {"type": "builtin", "env": env}}})


@pytest.mark.slow
@pytest.mark.parametrize("is_date", [False, True])
async def test_the_built_in_agent_passes_on_the_header(
    driven: Sidecar, model: ModelServer, is_date: bool
) -> None:
    model.failure, model.retry_after = (
        429,
        formatdate(usegmt=True, timeval=time.time() + 600) if is_date else "600",
    )
    (failed,) = await driven.ended(await driven.launch("own", "SCENARIO:say:one"))
    assert (failed["errorKind"], len(model.requests)) == ("rateLimit", 1)
    model.failure = None
    first, second = [await driven.launch("own", "SCENARIO:say:hello") for _ in range(2)]
    waiting = (await driven.task(first))["waiting"]
    assert 590_000 < waiting["until"] - failed["completedAt"] <= 601_000
    assert len(model.requests) == 1
    await driven.request("asyncTasks/startNow", taskId=second)
    tasks = await driven.ended(first, second)
    assert [task["output"]["final_message"] for task in tasks] == ["hello"] * 2


@pytest.mark.slow
async def test_a_run_that_repeats_its_request_holds_the_others_and_continues(
    driven: Sidecar, model: ModelServer
) -> None:
    model.failure, model.retry_after = 429, "8"
    running = await driven.launch("own", "SCENARIO:say:hello")
    await until_retrying(driven, running)
    held = [await driven.launch("own", "SCENARIO:say:hello") for _ in range(2)]
    model.failure = None
    tasks = [await driven.task(each) for each in held]
    assert [task["waiting"]["reason"] for task in tasks] == ["rateLimit"] * 2
    ended = await driven.ended(running, *held)
    assert [task["status"] for task in ended] == ["completed"] * 3
    assert all(task["launchedAt"] >= tasks[0]["waiting"]["until"] - 50 for task in ended[1:])
    (report,) = [event["retrying"] for event in await events(driven, running, "log") if "retrying" in event]
    assert (report["status"], report["retryAfterSeconds"]) == (429, 8)
