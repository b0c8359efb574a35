"""No request changes anything in the stores of other agents, even while they are followed and kept."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Json, Start
from tests.history.stores.fixtures.all_stores import all_stores

DAY_SECONDS = 86_400
OTHERS = {
    *(
        "initialize",
        "shutdown",
        "exit",
        "runners/list",
        "workspace/didGrantTrust",
        "agent/setBusy",
        "tools/list",
    ),
    *("reminders/delivered", "reminders/next", "reminders/outbox", "reminders/status", "fleet/status"),
    *("permissions/list", "permissions/revoke", "subagents/list", "subagents/validate"),
}
"""Requests that open no store of stored tasks; nor do those of runs, `asyncTasks/*` and `worktrees/*`."""


@pytest.mark.slow
async def test_no_request_changes_a_store(start: Start, home: Path, environment: dict[str, str]) -> None:
    shutil.rmtree(home / "data", ignore_errors=True)
    environment["XDG_DATA_HOME"] = str(home / ".local" / "share")
    with all_stores(home, age_seconds=40 * DAY_SECONDS) as stores:
        sidecar = await start(initialize=False)
        asked: set[str] = set()

        async def ask(method: str, **params: object) -> Json:
            asked.add(method)
            answer: Json = await sidecar.request(method, **params)
            stores.assert_unchanged()
            return answer

        settings = {"history": {"autoDiscover": True, "keep": ["claude"], "estimateCost": True}}
        opened = await sidecar.initialize(settings=settings)
        listed = await ask("tasks/list", children=True, limit=10_000)
        assert {row["product"] for row in listed["items"]} == stores.sessions.keys()
        for product, sessions in stores.sessions.items():
            for method in ("tasks/get", "tasks/messages", "tasks/files"):
                await ask(method, taskId=sessions[0])
            await ask("tasks/export", taskId=sessions[0], format="markdown", redact=True)
            await ask("tasks/byFile", path="a.ts", roots=[str(stores.roots[product])])
        await ask("tasks/search", text="parser", query="since:9999d")
        await ask("tasks/stats", groupBy=["product"], disk=True)
        await ask("history/doctor")
        await ask("tasks/refresh")
        await ask("tasks/listRemoved")
        await ask("settings/update", settings={"history": {"rules": "guide"}})
        await ask("tasks/list")
        await ask("health")
        await ask("tools/call", name="list_tasks", arguments={})
        every = [session for sessions in stores.sessions.values() for session in sessions]
        for method in ("tasks/archive", "tasks/restore", "tasks/delete"):
            await ask(method, taskIds=every)
        await ask("tasks/putAway", limit=5)
        served = {name for name in opened["methods"] if not name.startswith(("asyncTasks/", "worktrees/"))}
        assert served - asked <= OTHERS
        await sidecar.shut_down()
        stores.assert_unchanged()
