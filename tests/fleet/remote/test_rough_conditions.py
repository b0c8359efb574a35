"""Clocks that jump, a disk that is full, and launches at the same time do not disturb runs on a cluster."""

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import orjson
import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.fleet.leftovers import run_lock
from sidecar.fleet.leftovers.cleanup import clean_up
from sidecar.fleet.node_run import NodeRun
from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.contract import RunResult
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.job import Job, Tree
from sidecar.subagents.runners.remote.refs import run_refs
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.node.test_workspace import RUN, git, repository

__all__ = ["repository"]

YEAR = 365 * 24 * 3600.0
BIG = 2 << 20


def set_clock(monkeypatch: pytest.MonkeyPatch, ahead: float) -> None:
    """Let the clock of this machine jump."""
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + ahead)


async def working(agent: ScriptedRun) -> None:
    await agent.open()
    await agent.count(20, 1)


@pytest.mark.parametrize("ahead", [YEAR, -YEAR])
def test_a_run_continues_when_a_clock_jumps(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    async def main() -> None:
        here = world(working, timeout_seconds=100)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        set_clock(monkeypatch, ahead)
        clean_up()
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 21)) and "reconnecting" not in here.person.states
        await until(here.is_clean)

    run_virtually(main)


def test_a_clock_that_jumps_takes_no_changes_that_a_node_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDECAR_FLEET_DIR", str(tmp_path))
    folder = tmp_path / "runs" / RUN
    held = run_lock.hold_new(folder, 1.0)  # as its watcher does
    (folder / "changes.bundle").write_bytes(b"changes")
    set_clock(monkeypatch, YEAR)
    assert clean_up().removed == [] and (folder / "changes.bundle").exists()
    os.close(held)


def test_a_clock_that_jumps_ahead_removes_no_changes_of_runs(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = workspace.prepare(repository)
    head = git(repository, "rev-parse", "HEAD").strip()
    run_refs.set_ref(repository, "former", head, head)
    set_clock(monkeypatch, YEAR)
    workspace.bring_back(tree, RUN, tree.base, b"")
    refs = git(repository, "for-each-ref", "--format=%(refname)", "refs/sidecar").split()
    assert refs == [f"refs/sidecar/{RUN}", "refs/sidecar/former"]


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """Let this process and its children write no larger files."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def node_tree(fleet: Path, tree: Tree, run: str) -> NodeTree:
    """Send the workspace to a node, which makes no tree yet."""
    folder = fleet / "runs" / run
    folder.mkdir(parents=True)
    node = NodeTree(fleet, folder, tree.repository, tree.prefix, tree.base)
    if data := workspace.packed(tree, node.known()):
        node.write(0, data)
    return node


async def test_a_node_whose_disk_is_full_while_it_makes_the_tree_keeps_nothing(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "large").write_bytes(bytes(BIG))  # its object is small, and its file is not
    tree = workspace.prepare(repository)
    node_tree(tmp_path, tree, RUN)
    run = NodeRun(RUN, tmp_path, tree.repository, tree.prefix, tree.base)
    with small_files(BIG // 2):
        runner = RunnerSettings(type="command", command=["true"])
        run.start(Job(task_id=RUN, runner_name="script", runner=runner, prompt="go"))
        async with asyncio.timeout(60):
            await run.over.wait()
    last = orjson.loads(run.journal.read(0, 10, BIG)[-1])
    assert last["result"]["error"].startswith("the node could not run it: git reset:")
    assert (last["commit"], "unsaved" in last) == (tree.base, False)
    assert not run.tree.path.exists()
    run.discard()


@pytest.mark.parametrize("removed", [".", ".."], ids=["tree", "folder"])
async def test_the_changes_of_an_agent_that_removes_its_own_folder_are_reported_as_lost(
    repository: Path, tmp_path: Path, removed: str
) -> None:
    tree = workspace.prepare(repository)
    node_tree(tmp_path, tree, RUN)
    run = NodeRun(RUN, tmp_path, tree.repository, tree.prefix, tree.base)
    runner = RunnerSettings(type="command", command=["sh", "-c", f'rm -rf "$(cd {removed} && pwd)"'])
    run.start(Job(task_id=RUN, runner_name="script", runner=runner, prompt="go"))
    async with asyncio.timeout(60):
        await run.over.wait()
    lines = [orjson.loads(each) for each in run.journal.read(0, 100, BIG)]
    assert lines[-1]["commit"] == tree.base and "unsaved" not in lines[-1]
    logged = "".join(line["event"].get("text", "") for line in lines if "event" in line)
    assert "was removed on its node before the end, so its changes are lost" in logged
    run.discard()


def test_launches_of_one_repository_at_once_get_their_trees(repository: Path, tmp_path: Path) -> None:
    count = 6
    together = Barrier(count)

    def launched(number: int) -> Path:
        together.wait()
        node = node_tree(tmp_path / "fleet", workspace.prepare(repository), f"run-{number}")
        together.wait()
        node.check_out(f"run-{number}")
        return node.path

    with ThreadPoolExecutor(count) as threads:
        paths = list(threads.map(launched, range(count)))
    assert [git(path, "status", "--porcelain") for path in paths] == [""] * count
    assert {(path / "untracked.txt").read_text() for path in paths} == {"new\n"}
    assert git(repository, "status", "--porcelain") == " M src/a.txt\n?? untracked.txt\n"
