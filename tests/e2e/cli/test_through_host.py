"""`ps --watch`, `logs --follow` and `wait` are clients of the Host: they leave without touching a run."""

import json
import os
import signal
import socket
import subprocess
import time

import pytest

from sidecar import __version__
from sidecar.host.attach import address, attaching
from tests.cli.program import Cli, Launched


def until_clients(cli: Cli, count: int) -> None:
    """Wait until the Host has as many clients."""
    deadline = time.monotonic() + 30
    while cli.json("host", "status")["clients"] != count:
        assert time.monotonic() < deadline, f"the Host never had {count} clients"


def launched_ready(cli: Cli) -> str:
    return cli.run("launch", "wait", "x").stdout.strip()


@pytest.mark.parametrize("command", [("logs", "--follow"), ("wait",)])
def test_a_command_that_follows_a_run_leaves_without_cancelling_it(
    cli: Cli, command: tuple[str, ...]
) -> None:
    task_id = launched_ready(cli)
    until_clients(cli, 0)
    follower = cli.start(*command, task_id[:8])
    until_clients(cli, 1)
    follower.send_signal(signal.SIGINT)
    follower.communicate(timeout=20)
    assert follower.returncode == 130
    until_clients(cli, 0)
    assert [task["status"] for task in cli.json("ps")["items"]] == ["running"]


def test_following_prints_what_the_journal_holds_afterwards(cli: Cli, launched: Launched) -> None:
    task_id = launched_ready(cli)
    with cli.start("logs", task_id, "--follow") as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline() == "ready\n"
        assert cli.run("cancel", task_id).returncode == 0
        _, errors = follower.communicate(timeout=20)
    assert follower.returncode == 0
    cli.run("host", "stop")
    recorded = cli.run("logs", task_id)
    assert (recorded.stdout, recorded.stderr) == ("ready\n", errors)


def test_an_ended_run_is_followed_to_its_end(cli: Cli, launched: Launched) -> None:
    task_id = launched("events")
    followed, recorded = cli.run("logs", task_id, "--follow"), cli.run("logs", task_id)
    assert followed.stdout == recorded.stdout
    assert followed.stderr == recorded.stderr


@pytest.mark.parametrize("command", [("logs", "--follow"), ("wait",)])
def test_a_host_that_is_stopped_leaves_the_rest_to_the_journal(cli: Cli, command: tuple[str, ...]) -> None:
    task_id = launched_ready(cli)
    follower = cli.start(*command, task_id)
    until_clients(cli, 1)
    assert cli.run("host", "stop", "--cancel-running").returncode == 0
    out, errors = follower.communicate(timeout=20)
    if command == ("wait",):
        assert (follower.returncode, out) == (3, f"{task_id} cancelled\n")
    else:
        assert (follower.returncode, out) == (0, "ready\n"), errors
        assert "[Cancelled]" in errors


def test_ps_watches_through_the_host_and_then_through_the_journal(cli: Cli) -> None:
    task_id = launched_ready(cli)
    watcher = cli.start("ps", "--watch")
    until_clients(cli, 1)
    cli.run("cancel", task_id)
    assert_line(watcher, "cancelled")
    cli.run("host", "stop")
    assert_line(watcher, "STATUS")
    assert_line(watcher, "cancelled")
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=20)
    assert watcher.returncode == 130


def test_with_json_ps_watches_with_the_answer_of_the_host(cli: Cli) -> None:
    task_id = launched_ready(cli)
    watcher = cli.start("ps", "--watch", "--json")
    until_clients(cli, 1)
    cli.run("cancel", task_id)
    assert watcher.stdout is not None
    statuses = {json.loads(watcher.stdout.readline())["items"][0]["status"]}
    while "cancelled" not in statuses:
        statuses.add(json.loads(watcher.stdout.readline())["items"][0]["status"])
    assert statuses <= {"running", "cancelled"}
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=20)


def assert_line(watcher: "subprocess.Popen[str]", start: str) -> None:
    """Read until a line starts so."""
    assert watcher.stdout is not None
    while not (line := watcher.stdout.readline()).startswith(start):
        assert line, f"no line starts with {start}"


def test_positions_in_the_queue_are_those_of_the_host(cli: Cli) -> None:
    with (cli.home / "config" / "subagent-sidecar" / "config.toml").open("a") as settings:
        settings.write("[asyncTasks]\nmax = 1\n")
    cli.run("launch", "wait", "x")
    queued = [cli.run("launch", "wait", f"{number}", "--queue").stdout.strip() for number in range(3)]
    cli.run("cancel", queued[0])
    positions = {task["id"]: task.get("queuePosition") for task in cli.json("ps")["items"]}
    assert [positions[each] for each in queued] == [None, 1, 2]


def test_a_stop_whose_process_gave_up_is_not_carried_out_later(cli: Cli) -> None:
    launched_ready(cli)
    host = cli.host
    os.kill(host, signal.SIGSTOP)
    try:
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect((cli.root / address.POINTER).read_text().strip())
            wire.sendall(attaching.request_bytes("stop", __version__, {"cancel-running": "yes"}))
    finally:
        os.kill(host, signal.SIGCONT)
    assert cli.json("host", "status")["runs"]["running"] == 1
    assert cli.host == host
