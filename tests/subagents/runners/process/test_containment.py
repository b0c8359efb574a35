"""A run leaves no processes, with and without a control group, whatever they do to hide."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.subagents.runners.process import cgroup, containment
from sidecar.subagents.runners.process.cgroup import RunGroup, find_groups, make_group
from sidecar.subagents.runners.process.child import ChildProcess
from sidecar.subagents.runners.process.marker import SweepReport, find, sweep
from sidecar.subagents.runners.process.subreaper import orphan_reaper
from tests.subagents.runners import hopper

REPO = Path(__file__).parents[4]
HOPPER = Path(hopper.__file__)
LIFE_SECONDS = 20
"""When a hopper exits by itself, whatever the test does."""

# A process of its own: the orphan reaper belongs to a process as a whole.
CONTAIN = """
import asyncio, sys
from pathlib import Path
from sidecar.subagents.runners.process import containment
from sidecar.subagents.runners.process.subreaper import orphan_reaper
from sidecar.subagents.runners.process.child import ChildProcess

async def main(task_id, program, beats, seconds, grouped):
    if grouped == "no":
        containment.make_group = lambda task_id: None
    orphan_reaper.begin()
    # The first process stays, so that the end is that of a cancel.
    script = '"$0" "$1" "$2" "$3" & exec sleep 60'
    argv = ["sh", "-c", script, sys.executable, program, beats, seconds]
    child = await ChildProcess.spawn(argv, task_id=task_id, cwd=Path("."), env={})
    file = Path(beats)
    while not file.exists() or file.stat().st_size < 50:
        await asyncio.sleep(0.01)
    await child.stop(5.0)
    child.close()
    print("stopped", flush=True)
    sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def task_id() -> Iterator[str]:
    made = str(uuid4())
    yield made
    sweep([made], 5.0)


@pytest.fixture
def group(task_id: str) -> RunGroup:
    made = make_group(task_id)
    assert made, "these tests make control groups: they need cgroup v2 with write access, as root in CI has"
    return made


def is_still(beats: Path, seconds: float) -> bool:
    before = beats.stat().st_size
    time.sleep(seconds)
    return beats.stat().st_size == before


@pytest.mark.parametrize("grouped", ["yes", "no"])
def test_a_stop_kills_a_program_that_keeps_forking_without_a_marker(
    task_id: str, tmp_path: Path, grouped: str
) -> None:
    beats = tmp_path / "beats"
    command = [sys.executable, "-c", CONTAIN, task_id, str(HOPPER), str(beats), str(LIFE_SECONDS), grouped]
    with subprocess.Popen(command, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        try:
            assert parent.stdout
            began = time.monotonic()
            assert parent.stdout.readline() == b"stopped\n"
            assert time.monotonic() - began < LIFE_SECONDS / 2, "it may have ended by itself"
            assert is_still(beats, 0.3)
        finally:
            parent.kill()


async def test_a_group_contains_processes_without_the_marker_and_session_of_the_run(
    task_id: str, tmp_path: Path, group: RunGroup
) -> None:
    script = "env -i setsid sleep 600 & exec sleep 600"
    child = await ChildProcess.spawn(["sh", "-c", script], task_id=task_id, cwd=tmp_path, env={})
    async with asyncio.timeout(10):
        while len(group.members()) < 2 or "sleep" not in commands(group):
            await asyncio.sleep(0.01)
    assert set(find([task_id])) == set(group.members())
    await child.stop(5.0)
    child.close()
    assert not group.path.exists() and find([task_id]) == []


async def test_a_group_that_held_every_process_needs_one_pass_and_any_other_several(
    task_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []

    def sweep_and_note(*values: Any, thorough: bool, **named: Any) -> SweepReport:
        looks.append(thorough)
        return sweep(*values, thorough=thorough, **named)

    def orphans(run: int, limit: float, *, thorough: bool) -> tuple[int, ...]:
        looks.append(thorough)
        return ()

    monkeypatch.setattr(containment, "sweep", sweep_and_note)
    monkeypatch.setattr(orphan_reaper, "sweep", orphans)
    await to_its_end(task_id, tmp_path)
    monkeypatch.setattr(RunGroup, "entry", lambda _: contextlib.nullcontext(lambda: None))
    await to_its_end(task_id, tmp_path)
    assert looks == [False, False, True, True]


async def to_its_end(task_id: str, workspace: Path) -> None:
    child = await ChildProcess.spawn(["true"], task_id=task_id, cwd=workspace, env={})
    await child.exited()
    await child.clear(5.0)
    child.close()


def commands(group: RunGroup) -> list[str]:
    return [Path(f"/proc/{pid}/comm").read_text().strip() for pid in group.members()]


def test_the_group_of_a_killed_sidecar_is_found_by_the_run(task_id: str, group: RunGroup) -> None:
    with subprocess.Popen(["sleep", "20"], env={}, start_new_session=True) as stranger:
        (group.path / "cgroup.procs").write_text(str(stranger.pid))
        inner = group.path / "made by the run"
        inner.mkdir()
        (inner / "cgroup.procs").write_text(str(stranger.pid))
        assert [found.path for found in find_groups([task_id])] == [group.path]
        report = sweep([task_id], 5.0)
        assert (report.killed, report.survivors) == ((stranger.pid,), ())
        assert stranger.wait(5) == -signal.SIGKILL and not group.path.exists()


def test_groups_of_other_runs_are_left_alone(task_id: str, group: RunGroup) -> None:
    assert sweep([str(uuid4()), task_id[:-1]], 5.0).killed == () and group.path.exists()


def test_a_member_that_does_not_die_in_time_is_reported(
    task_id: str, group: RunGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["sleep", "20"], env={}) as stranger:
        (group.path / "cgroup.procs").write_text(str(stranger.pid))
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_bytes", lambda path, data: len(data))
            assert sweep([task_id], 0.2).survivors == (stranger.pid,)
        assert sweep([task_id], 5.0).survivors == ()


@pytest.mark.parametrize("reason", ["no hierarchy", "no rights"])
async def test_a_run_starts_without_a_group_where_none_can_be_created(
    task_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    place = None if reason == "no hierarchy" else tmp_path / "absent"
    monkeypatch.setattr(cgroup, "_own_group", lambda: place)
    assert make_group(task_id) is None
    child = await ChildProcess.spawn(["true"], task_id=task_id, cwd=tmp_path, env={})
    assert await child.exited() == 0
    await child.clear(5.0)
    child.close()


@pytest.mark.parametrize("name", ["absent", "a\0b"])
async def test_a_program_that_does_not_start_leaves_no_group(task_id: str, tmp_path: Path, name: str) -> None:
    with pytest.raises((FileNotFoundError, ValueError)):
        await ChildProcess.spawn([str(tmp_path / name)], task_id=task_id, cwd=tmp_path, env={})
    assert find_groups([task_id]) == []


def test_the_hopper_exits_by_itself(tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    subprocess.run([sys.executable, str(HOPPER), str(beats), "0.2"], timeout=10, check=True)
    deadline = time.monotonic() + 10
    while not is_still(beats, 0.1) and time.monotonic() < deadline:
        pass
    assert is_still(beats, 0.1) and os.path.getsize(beats) > 1
