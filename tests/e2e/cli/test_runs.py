"""`agents`, `launch`, `ps` and `logs`: subagents from a terminal."""

import json
import os
import signal
import stat

import pytest

from tests.cli.program import SECRET, Cli, Launched, ready


def test_definitions_are_listed_and_the_workspaces_own_only_with_trust(cli: Cli) -> None:
    own = cli.workspace / ".sidecar" / "agents"
    own.mkdir(parents=True)
    (own / "mine.md").write_text("---\nname: mine\ndescription: x\n---\n")
    options = ("--storage-root", str(cli.root), "--workspace", str(cli.workspace))
    untrusted = cli.run("agents", *options)
    assert "mine" not in untrusted.stdout
    assert "--trust" in untrusted.stderr
    names = [item["name"] for item in cli.json("agents", *options, "--trust")["items"]]
    assert {"mine", "cat"} <= set(names)


def test_a_launch_prints_its_id_then_the_final_message(cli: Cli) -> None:
    done = cli.run("launch", "cat", "say this back", "--wait")
    task_id, message = done.stdout.splitlines()
    assert (done.returncode, done.stderr, message) == (0, "", "say this back")
    (task,) = cli.json("ps")["items"]
    assert (task["id"], task["workspaceDir"]) == (task_id, str(cli.workspace))


def test_with_json_a_launch_prints_only_the_ended_task(cli: Cli) -> None:
    done = cli.run("launch", "fail", "x", "--wait", "--json")
    task = json.loads(done.stdout)
    assert (done.returncode, task["status"], task["error"]) == (1, "failed", "why")
    assert done.stderr == ""


def test_a_launch_without_wait_prints_only_the_id(cli: Cli) -> None:
    done = cli.run("launch", "wait", "x")
    (task,) = cli.json("ps")["items"]
    assert (done.returncode, done.stdout, task["status"]) == (0, f"{task['id']}\n", "running")


@pytest.mark.parametrize(
    ("name", "goal", "code", "named"),
    [("nobody", "x", 1, "available: cat"), ("cat", " ", 2, "goalPrompt")],
)
def test_a_launch_that_cannot_be_leaves_no_record(
    cli: Cli, name: str, goal: str, code: int, named: str
) -> None:
    done = cli.run("launch", name, goal, "--wait")
    assert (done.returncode, done.stdout) == (code, "")
    assert named in done.stderr
    assert cli.json("ps")["items"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_run_and_exits_130(cli: Cli, number: signal.Signals) -> None:
    process, task_id = ready(cli)
    process.send_signal(number)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors.strip()) == (130, "")
    (task,) = cli.json("ps")["items"]
    assert (task["id"], task["status"], task["endReason"]) == (task_id, "cancelled", "cancelledByUser")


def test_while_a_launch_waits_others_watch_it_and_launch_too(cli: Cli) -> None:
    process, task_id = ready(cli)
    assert [task["status"] for task in cli.json("ps")["items"]] == ["running"]
    assert cli.run("launch", "cat", "x", "--wait").returncode == 0
    follower = cli.start("logs", task_id, "--follow")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    printed, _ = follower.communicate(timeout=10)
    assert (follower.returncode, printed) == (0, "ready\n")


def test_what_a_killed_sidecar_left_is_reported(cli: Cli) -> None:
    process, _ = ready(cli)
    assert "No sidecar is running for this root" not in cli.run("ps").stderr
    os.kill(cli.host, signal.SIGKILL)
    process.communicate(timeout=10)
    assert "No sidecar is running for this root" in cli.run("ps").stderr
    assert cli.run("launch", "cat", "x", "--wait").returncode == 0
    assert [task["endReason"] for task in cli.json("ps")["items"]] == ["goal", "lost"]
    assert [line.split("\t")[4] for line in cli.run("ps").stdout.splitlines()] == ["WHY", "Completed", "Lost"]


def test_a_log_removed_under_its_owner_is_reported(cli: Cli, launched: Launched) -> None:
    ended = launched("cat")
    cli.run("host", "stop")  # so that the journal itself holds the run
    process, _ = ready(cli)
    assert "write-ahead log" not in cli.run("logs", ended).stderr
    host = cli.host
    os.kill(host, signal.SIGSTOP)  # with its next read or write it would mend this
    for name in ("sidecar.db-wal", "sidecar.db-shm"):
        (cli.root / name).unlink()
    done = cli.run("logs", ended)
    os.kill(host, signal.SIGCONT)
    listed = cli.run("ps")
    process.terminate()
    process.communicate(timeout=10)
    assert (done.returncode, listed.stderr) == (0, "") and ended in listed.stdout
    assert f"removed while pid {host} uses it" in done.stderr
    assert sorted(task["status"] for task in cli.json("ps")["items"]) == ["cancelled", "completed"]


def test_a_damaged_journal_is_named_with_the_remedy_while_a_host_runs(cli: Cli, launched: Launched) -> None:
    ended = launched("cat")
    cli.run("host", "stop")
    (cli.root / "sidecar.db").write_bytes(b"not a database" * 1000)
    for name in ("sidecar.db-wal", "sidecar.db-shm"):
        (cli.root / name).unlink(missing_ok=True)
    begin = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}'
    with cli.start("serve") as client:
        assert client.stdin is not None
        client.stdin.write(f"Content-Length: {len(begin)}\r\n\r\n{begin}")
        client.stdin.flush()  # starts a Host, which the client keeps
        while cli.run("host", "status").returncode != 0:
            assert client.poll() is None
        done = cli.run("logs", ended)
        assert (done.returncode, done.stdout) == (1, "")
        assert "sidecar.db: the file is damaged; move it" in done.stderr
        assert "write-ahead log" not in done.stderr
        client.stdin.close()


def test_following_a_run_ends_with_its_killed_sidecar(cli: Cli) -> None:
    process, task_id = ready(cli)
    with cli.start("logs", task_id, "--follow") as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline() == "ready\n"
        os.kill(cli.host, signal.SIGKILL)
        printed, errors = follower.communicate(timeout=20)
    process.communicate(timeout=10)
    assert (follower.returncode, printed) == (1, "")
    assert f"run {task_id} was left by a sidecar that was killed; `cancel` stops" in errors


def test_ps_without_a_journal_is_empty_and_makes_nothing(cli: Cli) -> None:
    counts = dict.fromkeys(("queued", "running", "completed", "failed", "cancelled"), 0)
    assert cli.json("ps") == {"items": [], "counts": counts, "max": 5, "revision": 0}
    assert not cli.root.exists()


def test_ps_does_not_touch_the_lock(cli: Cli, launched: Launched) -> None:
    launched("cat")
    cli.run("host", "stop")
    lock = cli.root / "sidecar.lock"
    before = lock.stat().st_mtime_ns, lock.read_bytes()
    cli.run("ps")
    assert (lock.stat().st_mtime_ns, lock.read_bytes()) == before


def test_ps_continues_with_watch_until_it_is_interrupted(cli: Cli, launched: Launched) -> None:
    launched("cat")
    watcher = cli.start("ps", "--watch")
    assert watcher.stdout is not None
    heads = 0
    while heads < 2:
        heads += watcher.stdout.readline().startswith("STATUS")
    watcher.send_signal(signal.SIGINT)
    _, errors = watcher.communicate(timeout=10)
    assert watcher.returncode == 130
    assert "Traceback" not in errors


def test_logs_begin_each_message_on_its_own_line_and_the_rest_goes_to_stderr(
    cli: Cli, launched: Launched
) -> None:
    done = cli.run("logs", launched("events")[:8])
    assert (done.returncode, done.stdout) == (0, "one\ntwo\nthree\n")
    assert done.stderr == "[Running]\n[emit] n = 2\n[Completed]\n"


def test_on_a_terminal_logs_show_no_control_codes(cli: Cli, launched: Launched) -> None:
    task_id = launched("cat", "\x1b]0;evil\x07red")
    assert "\x1b]0;evil" in cli.run("logs", task_id).stdout
    shown = cli.on_terminal("logs", task_id)
    assert "evil" in shown
    assert "\x1b]" not in shown


def test_an_unknown_run_is_a_failure_that_names_it(cli: Cli, launched: Launched) -> None:
    assert cli.run("logs", "zzz").returncode == 1
    launched("cat")
    done = cli.run("logs", "zzz")
    assert done.returncode == 1
    assert "'zzz'" in done.stderr


def test_values_of_a_runners_environment_are_kept_nowhere(cli: Cli) -> None:
    done = cli.run("launch", "secret", "x", "--wait", "--log-level", "debug")
    assert done.stdout.splitlines()[1] == "found"
    assert SECRET not in done.stdout + done.stderr
    files = [path for path in cli.root.rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_the_own_root_is_private(cli: Cli, launched: Launched) -> None:
    launched("cat")
    for path in (cli.root, *cli.root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
