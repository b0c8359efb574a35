"""Copies of sessions that their product deletes, as a client sees them."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from sidecar.corpus.agents.claude import generate
from tests.e2e.conftest import Json, Sidecar, Start

DAY_SECONDS = 86_400


@pytest.fixture
def claude(home: Path) -> Path:
    """A store of sessions that Claude Code deletes at its next start."""
    root = home / "claude"
    generate(root, 2, 1)
    long_ago = time.time() - 40 * DAY_SECONDS
    for file in root.rglob("*.jsonl"):
        os.utime(file, (long_ago, long_ago))
    return root


async def rows(sidecar: Sidecar) -> dict[str, Json]:
    listed = await sidecar.request("tasks/list", children=True)
    return {row["id"]: row for row in listed["items"]}


async def test_sessions_outlive_their_product(start: Start, claude: Path) -> None:
    sidecar = await start(initialize=False)
    changes: asyncio.Queue[Json] = asyncio.Queue()
    sidecar.client.on_notification("tasks/didChange", changes.put_nowait)
    keep = {"keep": ["claude"], "foreignRoots": [str(claude)]}
    await sidecar.initialize(settings={"history": keep})
    before = await rows(sidecar)
    async with asyncio.timeout(20):
        while not all(row.get("kept") for row in (await rows(sidecar)).values()):
            await changes.get()
    shutil.rmtree(claude / "projects")
    await sidecar.request("tasks/refresh")
    after = await rows(sidecar)
    assert after == {name: {**row, "kept": True} for name, row in before.items()}
    for name in [*after][:2]:
        assert (await sidecar.request("tasks/messages", taskId=name))["total"]
        assert (await sidecar.request("tasks/export", taskId=name, format="markdown"))["text"]
    some = next(name for name, row in after.items() if "parentId" not in row)
    assert await sidecar.request("tasks/delete", taskIds=[some]) == {"done": [some], "failed": []}
    gone = {some} | {name for name, row in after.items() if row.get("parentId") == some}
    assert (await rows(sidecar)).keys() == after.keys() - gone
