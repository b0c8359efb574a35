"""`cancel` and `wait`: the runs of other processes."""

import os
import signal

import pytest

from tests.cli.program import Cli, Launched, ready


@pytest.mark.parametrize(("name", "code", "state"), [("cat", 0, "completed"), ("fail", 1, "failed")])
def test_waiting_for_an_ended_run_tells_its_state(
    cli: Cli, launched: Launched, name: str, code: int, state: str
) -> None:
    task_id = launched(name)
    done = cli.run("wait", task_id[:12])
    assert (done.returncode, done.stdout) == (code, f"{task_id} {state}\n")


def test_the_help_of_wait_lists_its_exit_codes(cli: Cli) -> None:
    shown = cli.run("wait", "--help").stdout
    codes = [line.split()[0] for line in shown.splitlines() if line.startswith("    ")]
    assert codes[:5] == ["0", "1", "2", "3", "4"]


def test_waiting_ends_with_the_run_and_tells_a_cancel(cli: Cli, launched: Launched) -> None:
    ended = launched("cat")
    process, task_id = ready(cli)
    with cli.start("wait", ended, task_id) as waiting:
        process.terminate()
        output, _ = waiting.communicate(timeout=20)
    process.communicate(timeout=10)
    assert (waiting.returncode, output) == (3, f"{ended} completed\n{task_id} cancelled\n")


def test_a_run_still_running_at_the_deadline_is_reported(cli: Cli) -> None:
    process, task_id = ready(cli)
    done = cli.run("wait", task_id, "--timeout", "0.3")
    process.terminate()
    process.communicate(timeout=10)
    assert (done.returncode, done.stdout) == (4, f"{task_id} running\n")


def test_a_run_is_cancelled_from_another_terminal(cli: Cli) -> None:
    process, task_id = ready(cli)
    done = cli.run("cancel", task_id)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"{task_id} was cancelled\n")
    process.communicate(timeout=10)
    assert process.returncode == 3


def test_a_run_left_by_a_killed_sidecar_is_not_awaited_but_ended(cli: Cli) -> None:
    process, task_id = ready(cli)
    os.kill(cli.host, signal.SIGKILL)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, "the Host has ended" in errors) == (1, True)
    waited = cli.run("wait", task_id)
    assert (waited.returncode, waited.stdout) == (1, "")
    assert "was left by a sidecar that was killed; `cancel` stops its remaining" in waited.stderr
    assert cli.run("cancel", task_id).returncode == 0
    (task,) = cli.json("ps")["items"]
    assert (task["status"], task["endReason"]) == ("failed", "lost")


def test_cancelling_an_ended_run_says_so_and_is_not_a_failure(cli: Cli, launched: Launched) -> None:
    done = cli.run("cancel", launched("cat"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "has already ended: completed" in done.stderr


@pytest.mark.parametrize("command", ["cancel", "wait"])
def test_an_id_that_no_run_has_is_a_failure(cli: Cli, launched: Launched, command: str) -> None:
    assert "no journal yet" in cli.run(command, "zzz").stderr
    launched("cat")
    done = cli.run(command, "zzz")
    assert done.returncode == 1
    assert "has the ID or prefix 'zzz'" in done.stderr
