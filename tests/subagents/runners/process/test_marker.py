import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from uuid import uuid4

import pytest

from sidecar.subagents.runners.process import marker_portable, procfs
from sidecar.subagents.runners.process.marker import MARKER, find, sweep

Mark = Callable[[str], int]
WAIT = ("sh", "-c", "echo up; read line")


@pytest.fixture
def sleeper() -> Iterator[Mark]:
    """Start a process marked with the given task id; the fixture kills all of them after the test."""
    children: list[subprocess.Popen[bytes]] = []

    def start(value: str) -> int:
        env = {**os.environ, MARKER: value}
        child = subprocess.Popen(WAIT, env=env, stdin=PIPE, stdout=PIPE, start_new_session=True)
        children.append(child)
        assert child.stdout and child.stdout.readline()  # its exec is done, so its environment is readable
        return child.pid

    yield start
    for child in children:
        child.kill()
        child.communicate(timeout=5)


def new_id() -> str:
    return str(uuid4())


def test_only_the_exact_id_is_swept(sleeper: Mark) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    others = {sleeper(task_id[:-1]), sleeper(task_id + "0"), sleeper(""), sleeper(new_id())}
    report = sweep([task_id], 5.0)
    assert (report.killed, report.survivors) == ((pid,), ())
    assert all(procfs.stat(other) and not procfs.stat(other).is_dead for other in others)  # type: ignore[union-attr]  # checked before


def test_several_ids_are_swept_together(sleeper: Mark) -> None:
    ids = [new_id() for _ in range(3)]
    pids = {sleeper(task_id) for task_id in ids}
    assert set(sweep(ids, 5.0).killed) == pids
    assert find(ids) == []


def test_a_sweep_without_marked_processes_reports_nothing_quickly() -> None:
    before = time.monotonic()
    report = sweep([new_id()], 5.0)
    assert (report.killed, report.survivors) == ((), ())
    assert time.monotonic() - before < 2.0


def test_no_ids_kill_nothing(sleeper: Mark) -> None:
    sleeper(new_id())
    assert sweep([], 5.0).killed == ()


def test_a_marker_inside_another_variable_does_not_count(
    sleeper: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = new_id()
    monkeypatch.setenv("OTHER", f"{MARKER}={task_id}")
    monkeypatch.setenv(f"X{MARKER}", task_id)
    sleeper(new_id())
    assert find([task_id]) == []


def test_the_sweeping_process_itself_is_never_touched() -> None:
    task_id = new_id()
    code = (
        "import os, sys; from sidecar.subagents.runners.process.marker import sweep;"
        f"print(sweep([os.environ['{MARKER}']], 5.0))"
    )
    env = {**os.environ, MARKER: task_id}
    argv, root = [sys.executable, "-c", code], Path(__file__).parents[4]
    done = subprocess.run(argv, env=env, cwd=root, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "SweepReport(killed=(), survivors=())\n"


def test_a_dead_child_that_was_not_reaped_is_not_a_survivor(sleeper: Mark) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    sweep([task_id], 5.0)
    assert procfs.stat(pid) is not None
    assert sweep([task_id], 5.0) == sweep([new_id()], 5.0)


def test_a_process_that_cannot_be_killed_in_time_is_reported(
    sleeper: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    monkeypatch.setattr("signal.pidfd_send_signal", lambda handle, number: None)
    before = time.monotonic()
    assert sweep([task_id], 0.2).survivors == (pid,)
    assert time.monotonic() - before < 20.0


def test_an_environment_that_appears_late_is_read_again(
    sleeper: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    read, looks = procfs.environ, [b""]
    monkeypatch.setattr(procfs, "environ", lambda each: looks.pop() if each == pid and looks else read(each))
    assert sweep([task_id], 5.0).killed == (pid,)


def test_psutil_finds_and_sweeps_the_same_processes(sleeper: Mark) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    assert [process.pid for process in marker_portable.find(MARKER, [task_id])] == [pid]
    assert marker_portable.sweep(MARKER, [task_id], time.monotonic() + 5) == ((pid,), ())


def test_without_proc_psutil_is_used(sleeper: Mark, monkeypatch: pytest.MonkeyPatch) -> None:
    task_id = new_id()
    pid = sleeper(task_id)
    monkeypatch.setattr(procfs, "usable", lambda: False)
    assert find([task_id]) == [pid]
    assert sweep([task_id], 5.0).killed == (pid,)
