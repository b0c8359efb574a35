"""A run and the session that its agent keeps in its own store are one task."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, Json, Sidecar, Start, define

KEPT = "keep 100 20\nsay done"
LASTING = "lasting"
PARTIAL = "opencode"
"""The name of an agent whose reports are of its last answer only."""


def runners(store: Path) -> Json:
    command = [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]
    env = {"CLAUDE_CONFIG_DIR": str(store)}
    return {
        "scripted": {"type": "acp", "command": command, "env": env},
        PARTIAL: {"type": "acp", "command": command, "env": env},
        LASTING: {"type": "acp", "command": [*command, "--lasting"], "env": env},
    }


@pytest.fixture
def store(home: Path) -> Path:
    define(home, ["scripted", LASTING, PARTIAL])
    return home / "claude"


async def started(start: Start, store: Path, **history: Any) -> Sidecar:
    return await start(settings={"runners": runners(store), "history": history})


async def with_usage(sidecar: Sidecar, task_id: str) -> Json:
    """Wait until a run shows the usage of its session, and return the run."""
    await sidecar.ended(task_id)

    def found() -> list[Json]:
        changes = [change for change in sidecar.changes if change["id"] == task_id]
        return [change for change in changes if "usageSource" in change["progress"]]

    await sidecar.until(lambda: bool(found()))
    return await sidecar.task(task_id)


def counted(run: Json) -> tuple[int, int]:
    return run["progress"]["inputTokens"], run["progress"]["outputTokens"]


async def test_a_run_and_its_session_are_one_row(start: Start, store: Path) -> None:
    sidecar = await started(start, store, foreignRoots=[str(store)])
    run = await with_usage(sidecar, await sidecar.launch("scripted", KEPT))
    session = run["sessionTaskId"]
    assert (counted(run), run["progress"]["usageSource"]) == ((100, 20), "store")
    await sidecar.request("tasks/refresh")
    (row,) = (await sidecar.request("tasks/list"))["items"]
    assert (row["id"], row["sessionTaskId"], row["tokenUsage"]["total"]) == (run["id"], session, 120)
    both = await sidecar.request("tasks/list", children=True)
    assert {each["id"] for each in both["items"]} == {run["id"], session}
    found = await sidecar.request("tasks/list", query=f"id:{session}", children=True)
    assert [each["product"] for each in found["items"]] == ["claude"]
    assert (await sidecar.request("tasks/get", taskId=session))["task"]["title"] == "keep this"
    whole = await sidecar.request("tasks/stats")
    assert (whole["totals"]["tokens"], whole["totals"]["messages"]) == (120, 2)
    alone = await sidecar.request("tasks/stats", query="product:sidecar")
    assert alone["totals"]["tokens"] == 120


async def test_the_store_of_an_agent_is_found_though_it_is_not_listed(start: Start, store: Path) -> None:
    sidecar = await started(start, store)
    run = await with_usage(sidecar, await sidecar.launch("scripted", KEPT))
    assert counted(run) == (100, 20)
    again = await start(settings={"runners": runners(store)}, root=sidecar.root)
    assert counted(await again.task(run["id"])) == (100, 20)


async def test_reported_usage_is_not_replaced(start: Start, store: Path) -> None:
    sidecar = await started(start, store, foreignRoots=[str(store)])
    (run,) = await sidecar.ended(await sidecar.launch("scripted", f"usage 7 3 0.5\n{KEPT}"))
    other = await with_usage(sidecar, await sidecar.launch("scripted", KEPT))
    newest = await sidecar.task(run["id"])
    assert counted(newest) == (7, 3) and "usageSource" not in newest["progress"]
    assert other["sessionTaskId"] != newest["sessionTaskId"]


async def test_reports_of_the_last_answer_only_are_replaced(start: Start, store: Path) -> None:
    sidecar = await started(start, store)
    run = await with_usage(sidecar, await sidecar.launch(PARTIAL, f"usage 7 3 0.5\n{KEPT}"))
    assert (counted(run), run["progress"]["cost"]) == ((100, 20), 0.5)
    (row,) = (await sidecar.request("tasks/list"))["items"]
    assert row["tokenUsage"] == {"total": 120, "input": 100, "output": 20, "cost": 0.5}
    assert (await sidecar.request("tasks/get", taskId=run["id"]))["task"] == row
    assert (await sidecar.request("tasks/stats"))["totals"]["tokens"] == 120


async def test_a_resumed_session_counts_what_each_run_used(start: Start, store: Path) -> None:
    sidecar = await started(start, store, foreignRoots=[str(store)])
    first = await with_usage(sidecar, await sidecar.launch(LASTING, KEPT))
    resumed = await sidecar.request("asyncTasks/resume", taskId=first["id"], text="keep 11 5")
    second = await with_usage(sidecar, resumed["task"]["id"])
    assert second["sessionTaskId"] == first["sessionTaskId"]
    assert counted(second) == (11, 5)
    await sidecar.request("tasks/refresh")
    assert (await sidecar.request("tasks/stats"))["totals"]["tokens"] == 136
