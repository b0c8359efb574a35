"""An agent that takes seconds to exit: its run ends at once, its slot is free when the process is gone."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import REPO, Sidecar, Start, define

pytestmark = pytest.mark.timeout(120)

RUNNERS: dict[str, Any] = {
    "linger": {"type": "acp", "command": [sys.executable, str(REPO / "tests/agents/raw.py"), "linger"]},
    "next": {"type": "command", "command": ["cat"]},
}


@pytest.fixture
async def lingering(start: Start, home: Path) -> Sidecar:
    """A sidecar with one slot."""
    define(home, RUNNERS)
    return await start(settings={"runners": RUNNERS, "asyncTasks": {"max": 1}})


@pytest.mark.slow
async def test_a_run_ends_while_its_agent_still_exits(lingering: Sidecar) -> None:
    task_id = await lingering.launch("linger")
    (task,) = await lingering.ended(task_id)
    assert (task["status"], task["output"]["final_message"].strip()) == ("completed", "indeed")
    assert find([task_id])


async def test_a_launch_after_the_end_gets_the_slot_of_the_process_that_is_gone(lingering: Sidecar) -> None:
    first = await lingering.launch("linger")
    await lingering.ended(first)
    await lingering.ended(await lingering.launch("next"))
    assert find([first]) == []


@pytest.mark.slow
async def test_a_queued_run_starts_when_the_process_before_it_is_gone(lingering: Sidecar) -> None:
    first = await lingering.launch("linger")
    second = await lingering.launch("next", overLimit="queue")
    await lingering.ended(first)
    await lingering.until(
        lambda: any(each["id"] == second and each["status"] == "running" for each in lingering.changes)
    )
    assert find([first]) == []


@pytest.mark.slow
async def test_the_model_s_launch_waits_for_the_slot_too(lingering: Sidecar) -> None:
    first = await lingering.launch("linger")
    await lingering.ended(first)
    arguments = {"subagent_name": "next", "goal_prompt": "x", "async": True}
    answer = await lingering.request("tools/call", name="task", arguments=arguments)
    assert "error" not in answer, answer
    assert find([first]) == []


@pytest.mark.slow
async def test_a_cancel_does_not_replace_the_end_that_a_waiting_caller_gets(lingering: Sidecar) -> None:
    arguments = {"subagent_name": "linger", "goal_prompt": "x"}
    call = asyncio.create_task(lingering.request("tools/call", name="task", arguments=arguments))
    await lingering.until(lambda: bool(lingering.changes))
    task_id = lingering.changes[0]["id"]
    await lingering.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await lingering.until(lambda: "indeed" in lingering.text(task_id))
    (task,) = await lingering.ended(task_id)
    assert find([task_id])
    assert not (await lingering.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    assert (await call)["metadata"]["terminateReason"] == "GOAL"
    assert (task["status"], await lingering.task(task_id)) == ("completed", task)
    assert find([task_id]) == []


@pytest.mark.slow
async def test_a_resume_waits_for_the_processes_of_a_run_that_its_caller_waits_for(
    lingering: Sidecar,
) -> None:
    arguments = {"subagent_name": "linger", "goal_prompt": "x"}
    call = asyncio.create_task(lingering.request("tools/call", name="task", arguments=arguments))
    await lingering.until(lambda: bool(lingering.changes))
    task_id = lingering.changes[0]["id"]
    await lingering.ended(task_id)
    assert find([task_id])
    await lingering.request("asyncTasks/resume", taskId=task_id)
    assert find([task_id]) == []
    await call


@pytest.mark.slow
async def test_a_sidecar_exits_while_it_still_imports_what_an_agent_needs(
    start: Start, home: Path, environment: dict[str, str]
) -> None:
    slow, begun = home / "slow", home / "begun"
    (slow / "acp").mkdir(parents=True)
    (slow / "acp" / "__init__.py").write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(600)\n"
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(slow), str(REPO)])
    define(home, RUNNERS)
    sidecar = await start(settings={"runners": RUNNERS})
    task_id = await sidecar.launch("linger")
    async with asyncio.timeout(20):
        while not begun.exists():
            await asyncio.sleep(0.02)
    sidecar.client.close_input()
    assert await sidecar.client.wait(30) is not None
    assert find([task_id]) == []
