"""The files that real agents edit: the run and the session in the agent's own store show the same changes.

The pretended model reads a file, edits it, and tries the same edit again, which fails.
"""

from typing import Any

import pytest

from tests.e2e.conftest import Sidecar
from tests.e2e.real.real_agents import AGENTS
from tests.e2e.real.test_real_sessions import driven, ended, row_of, used_by, with_usage
from tests.model_server.server import ModelServer

__all__ = ["driven"]  # a fixture
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", AGENTS)]

Json = dict[str, Any]
TOKENS = ("input", "output", "cacheReads", "cacheWrites")
SHELL_ONLY = ("codex-acp",)
"""Agents that read files with commands."""
STORE_COUNTS = ("opencode", "gemini")
"""Agents whose reported tokens are wrong, so that those of the store replace them."""


async def files_of(sidecar: Sidecar, task_id: str) -> list[tuple[str, list[str], int | None, int | None]]:
    """Return the files of a run or a session, with what was done to them."""
    files = (await sidecar.request("tasks/files", taskId=task_id))["files"]
    return [(each["path"], each["actions"], each.get("additions"), each.get("deletions")) for each in files]


async def test_a_run_and_its_session_are_one_row_with_the_changes_that_were_made(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    path = driven.workspace / "plan.txt"
    path.write_text("one\ntwo\nthree\n")
    run = await ended(driven, model, await driven.launch(agent, f"SCENARIO:edit:{path}=two>2|zwei"), 4)
    assert path.read_text() == "one\n2\nzwei\nthree\n"
    row = await row_of(driven, run)
    used = {key: value for key, value in used_by(agent, model.answers_of_sessions).items() if key in TOKENS}
    assert {key: row["tokenUsage"][key] for key in TOKENS} == used

    assert run["changes"] == {"files": 1, "additions": 2, "deletions": 1}
    assert await files_of(driven, run["id"]) == [("plan.txt", ["edited"], 2, 1)]
    read = [] if agent in SHELL_ONLY else ["read"]
    assert await files_of(driven, row["id"]) == [("plan.txt", ["edited", *read], 2, 1)]

    shown = (await driven.request("tasks/messages", taskId=row["id"]))["messages"]
    calls = [each["tool"]["id"] for each in shown if each["kind"] == "tool"]
    results = [each["tool"] for each in shown if each["kind"] == "tool_result"]
    assert [each["id"] for each in results] == calls
    assert [each["status"] for each in results] == ["ok", "ok", "error"]

    listed = (await driven.request("tasks/list", filter=""))["items"]
    assert [(each["id"], each["sessionTaskId"]) for each in listed] == [(run["id"], row["id"])]
    totals = (await driven.request("tasks/stats"))["totals"]
    assert {key: totals[key] for key in TOKENS} == used
    if agent in STORE_COUNTS:
        await with_usage(driven, run)
    progress = (await driven.task(run["id"]))["progress"]
    assert progress.get("usageSource") == ("store" if agent in STORE_COUNTS else None)
