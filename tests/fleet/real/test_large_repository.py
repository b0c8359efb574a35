"""A large repository travels to a node, and a cancel on its way leaves nothing."""

import asyncio
import os
import subprocess

import pytest

from tests.fleet.conftest import Fleet
from tests.fleet.real.test_runs import git

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), pytest.mark.xdist_group("runs")]

FILES, FILE_BYTES = 50, 1 << 20


@pytest.fixture
async def large(fleet: Fleet) -> Fleet:
    """A workspace of 50 MB that git cannot compress."""
    for number in range(FILES):
        (fleet.workspace / f"data-{number}").write_bytes(os.urandom(FILE_BYTES))
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["add", "."], [*identity, "commit", "-q", "-m", "large"]):
        await asyncio.to_thread(subprocess.run, ["git", *command], cwd=fleet.workspace, check=True)
    return fleet


async def test_a_repository_of_50_mb_travels_and_its_changes_come_back(large: Fleet) -> None:
    first = await large.launch("script", "cat data-* | wc -c; rm data-0; echo two >> a.txt")
    task = await large.ended(first)
    assert (task["status"], task["output"]["final_message"]) == ("completed", str(FILES * FILE_BYTES))
    assert task["changes"]["files"] == 2
    names = git(large, "ls-tree", "--name-only", f"refs/sidecar/{first}").splitlines()
    assert len(names) == FILES and "data-0" not in names


async def test_a_cancel_while_the_workspace_travels_leaves_nothing(large: Fleet) -> None:
    run = await large.launch("script", "echo begun")

    async def arrived() -> int:
        found = large.cluster.home.glob(f"fleet/*/runs/{run}/incoming.bundle")
        return sum(each.stat().st_size for each in found)

    assert await large.until(arrived, bool) < FILES * FILE_BYTES
    await large.request("asyncTasks/cancel", taskId=run)
    task = await large.ended(run)
    assert task["status"] == "cancelled" and "changes" not in task
    await large.nothing_left()
    assert not any(event["type"] == "message" for event in await large.events(run))
    assert git(large, "for-each-ref", "refs/sidecar", "refs/bases") == ""
    assert git(large, "status", "--porcelain") == ""
