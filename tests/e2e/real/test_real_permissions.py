"""That real agents write and run nothing without permission, judged by the disk.

The model is pretended and asks for a write and for a command; the workspace is a repository whose settings
allow both to every agent. `scripts/agents` installs the agents.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar, Start
from tests.e2e.processes import events
from tests.e2e.real.real_agents import AGENTS, PATIENT, SECONDS, define_agents, runners_in, write_hostile
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("agent", AGENTS),
]

Json = dict[str, Any]


@pytest.fixture
def runners(home: Path, model: ModelServer) -> Json:
    """The agents in a home of their own, with the pretended model; the workspace is hostile."""
    define_agents(home)
    write_hostile(home / "workspace")
    return runners_in(home, model.url)


@pytest.fixture
async def driven(start: Start, runners: Json) -> AsyncIterator[Sidecar]:
    yield await start(settings={"runners": runners, "asyncTasks": PATIENT})


@pytest.fixture
def target(home: Path) -> Path:
    """The file that no agent may write."""
    return home / "workspace" / "out.txt"


def goals(target: Path) -> list[str]:
    return [f"SCENARIO:write:{target}=written", f"SCENARIO:shell:echo ran > {target}"]


async def run(sidecar: Sidecar, agent: str, goal: str, **more: Any) -> Json:
    return await ended(sidecar, await sidecar.launch(agent, goal, **more))


async def ended(sidecar: Sidecar, task_id: str) -> Json:
    params = {"taskIds": [task_id], "timeoutSeconds": SECONDS}
    answer = await sidecar.client.request("asyncTasks/wait", params, timeout=SECONDS + 5)
    task: Json = answer["tasks"][0]
    assert task["status"] in ("completed", "failed"), task
    return task


async def refusals(sidecar: Sidecar, task: Json) -> list[tuple[str, str]]:
    """Return how each question of a run was answered, and by whom."""
    found = await events(sidecar, task["id"], "permission")
    return [(event.get("kind", ""), event["by"]) for event in found if event["state"] == "answered"]


@pytest.mark.parametrize(
    ("default", "more"),
    [("deny", {}), ("ask", {"toolWhitelist": ["Read"]}), ("allowAll", {"toolWhitelist": ["Read"]})],
    ids=["deny", "tools", "tools under allowAll"],
)
async def test_what_is_not_allowed_is_neither_written_nor_run(
    driven: Sidecar, agent: str, target: Path, default: str, more: Json
) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": default}})
    for goal in goals(target):
        task = await run(driven, agent, goal, **more)
        assert not target.exists(), (goal, task)
        assert await refusals(driven, task) == [("reject_once", "policy")], (goal, task)


async def test_a_policy_of_the_definition_wins_over_one_that_allows_all(
    driven: Sidecar, home: Path, agent: str, target: Path
) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "allowAll"}})
    definition = home / "config" / "subagent-sidecar" / "agents" / f"{agent}.md"
    definition.write_text(definition.read_text().replace("runner:", "permissions: deny\nrunner:"))
    task = await run(driven, agent, goals(target)[0])
    assert not target.exists(), task


async def test_a_session_that_is_taken_up_again_asks_too(driven: Sidecar, agent: str, target: Path) -> None:
    first = await run(driven, agent, "SCENARIO:say:hi")
    await driven.request("settings/update", settings={"permissions": {"default": "deny"}})
    answer = await driven.request("asyncTasks/resume", taskId=first["id"], text=goals(target)[0])
    task = await ended(driven, answer["task"]["id"])
    assert not target.exists(), task
    assert await refusals(driven, task) == [("reject_once", "policy")], task


async def test_nothing_is_written_or_run_where_nobody_can_answer(
    environment: dict[str, str], runners: Json, home: Path, agent: str, target: Path
) -> None:
    settings = home / "config" / "subagent-sidecar" / "config.toml"
    lines = [f"{name} = {json.dumps(value)}" for name, value in runners[agent]["env"].items()]
    settings.write_text("\n".join([f"[runners.{agent}]", 'type = "acp"', f"[runners.{agent}.env]", *lines]))
    for goal in goals(target):
        options = ["--wait", "--json", "--trust", "--workspace", str(target.parent)]
        command = ["launch", agent, goal, "--storage-root", str(home / "root"), *options]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "sidecar", *command, env=environment, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(SECONDS):
            printed, _ = await process.communicate()
        assert not target.exists(), printed.decode()
        assert json.loads(printed)["progress"]["toolCalls"] == 1, printed.decode()


async def test_a_person_is_asked_and_the_answer_counts(driven: Sidecar, agent: str, target: Path) -> None:
    for goal in goals(target):
        for kind in ("reject_once", "allow_once"):
            task_id = await driven.launch(agent, goal)
            await driven.until(partial(asked, driven, task_id), SECONDS)
            question = asked(driven, task_id)
            option = next(each["optionId"] for each in question["options"] if each["kind"] == kind)
            await driven.request(
                "asyncTasks/answer", taskId=task_id, requestId=question["requestId"], optionId=option
            )
            await driven.ended(task_id)
            assert target.exists() is (kind == "allow_once"), (goal, kind)
        target.unlink()


def asked(sidecar: Sidecar, task_id: str) -> Any:
    """Return what a running task asks; None if nothing."""
    newest = [change for change in sidecar.changes if change["id"] == task_id][-1]
    assert newest["status"] == "running", newest
    return newest.get("attention")


async def test_with_allow_all_both_are_done_and_nobody_is_asked(
    driven: Sidecar, agent: str, target: Path
) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "allowAll"}})
    for goal in goals(target):
        task = await run(driven, agent, goal)
        assert target.exists(), (goal, task)
        assert {kind for kind, _ in await refusals(driven, task)} <= {"allow_once", "allow_always"}
        target.unlink()


async def test_a_run_shows_the_mode_in_which_the_agent_asks(
    driven: Sidecar, agent: str, target: Path
) -> None:
    asking = {"opencode": "build", "codex-acp": "read-only"}
    task = await run(driven, agent, "SCENARIO:say:hi")
    assert (task["mode"], bool(task["model"])) == (asking.get(agent, "default"), True)
