"""`launch` gives an agent files, folders, a model, a mode and an effort; `send` gives it messages."""

import json
import sys
from typing import Any

import pytest

from tests.cli.program import REPO, Cli

Json = dict[str, Any]

AGENT = REPO / "tests" / "agents" / "equipped.py"


def option(name: str, category: str, *values: str) -> Json:
    options = [{"value": value, "name": value} for value in values]
    return {
        "id": name,
        "name": name,
        "category": category,
        "type": "select",
        "currentValue": values[0],
        "options": options,
    }


def define(cli: Cli, **behavior: Any) -> None:
    """Define the subagent `worker`, whose agent behaves so."""
    config = cli.home / "config" / "subagent-sidecar"
    (config / "agents" / "worker.md").write_text(
        "---\nname: worker\ndescription: Works.\nrunner: agent\nmodel: small\n---\n"
    )
    argv = [sys.executable, str(AGENT), json.dumps(behavior)]
    with (config / "config.toml").open("a") as file:
        file.write(f"\n[runners.agent]\ntype = 'acp'\ncommand = {json.dumps(argv)}\n")


def received(cli: Cli, method: str) -> list[Json]:
    lines = (cli.workspace / "requests.jsonl").read_text().splitlines()
    return [call["params"] for call in map(json.loads, lines) if call.get("method") == method]


CHOICES: Json = {
    "configOptions": [
        option("m", "model", "small", "large"),
        option("e", "thought_level", "low", "high"),
        option("mode", "mode", "default", "plan"),
    ]
}


def test_a_launch_chooses_a_model_a_mode_and_an_effort(cli: Cli) -> None:
    define(cli, session=CHOICES)
    chosen = ("--model", "large", "--mode", "plan", "--effort", "high")
    done = cli.run("launch", "worker", "do it", *chosen, "--wait", "--json")
    assert done.returncode == 0, done.stderr
    task = json.loads(done.stdout)
    assert (task["model"], task["mode"], task["effort"]) == ("large", "plan", "high")


def test_a_value_that_the_agent_does_not_know_fails_the_run_and_names_those_it_knows(cli: Cli) -> None:
    define(cli, session=CHOICES)
    done = cli.run("launch", "worker", "do it", "--model", "huge", "--wait")
    assert done.returncode == 1
    assert "the agent has no model 'huge'; use one of: small, large" in done.stderr


def test_files_and_folders_come_from_where_the_command_is_typed(cli: Cli) -> None:
    define(cli, session=CHOICES, capabilities={"sessionCapabilities": {"additionalDirectories": {}}})
    notes, other, tree = cli.workspace / "my notes.txt", cli.home / "other", cli.home / "tree"
    notes.write_text("seven lines")
    other.mkdir()
    tree.mkdir()
    given = ("--attach", "my notes.txt", "--attach", "../workspace/my notes.txt", "--add-dir", "../other")
    done = cli.run("launch", "worker", "read", *given, "--workspace", str(tree), "--wait")
    assert done.returncode == 0, done.stderr
    calls = [json.loads(line) for line in (tree / "requests.jsonl").read_text().splitlines()]
    (prompt,) = [call["params"]["prompt"] for call in calls if call.get("method") == "session/prompt"]
    links = [block["uri"] for block in prompt if block["type"] == "resource_link"]
    assert len(links) == 2
    assert all(link.endswith("/workspace/my%20notes.txt") for link in links)
    (opened,) = [call["params"] for call in calls if call.get("method") == "session/new"]
    assert opened["additionalDirectories"] == [str(other)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--attach", "missing.txt"), "File 'missing.txt' does not exist"),
        (("--attach", "."), "File '.' is a directory"),
        (("--add-dir", "missing"), "Directory 'missing' does not exist"),
        (("--model", " "), "model: give 1 to 200 printable characters, or omit it"),
    ],
)
def test_a_wrong_option_is_named(cli: Cli, options: tuple[str, ...], problem: str) -> None:
    define(cli, session=CHOICES)
    done = cli.run("launch", "worker", "x", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def until_prompted(cli: Cli, task_id: str) -> None:
    """Wait until the agent has its prompt, which it repeats."""
    with cli.start("logs", task_id, "--follow") as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline() == "begin\n"
        follower.kill()


@pytest.mark.parametrize(
    ("steers", "delivery", "answer"),
    [
        (True, "The agent has the message.", "steered"),
        (False, "The agent gets the message at the end of its turn.", "read b.txt too"),
    ],
)
def test_a_message_reaches_the_agent_now_or_after_its_turn(
    cli: Cli, steers: bool, delivery: str, answer: str
) -> None:
    define(cli, session=CHOICES, steers=steers, waits=True)
    task_id = cli.run("launch", "worker", "begin").stdout.strip()
    until_prompted(cli, task_id)
    sent = cli.run("send", task_id[:8], "read b.txt too")
    assert (sent.returncode, sent.stdout, sent.stderr) == (0, "", f"{delivery}\n")
    if not steers:
        cli.run("cancel", task_id)
        return
    assert cli.run("wait", task_id).returncode == 0
    assert answer in cli.run("logs", task_id).stdout
    assert received(cli, "_session/steering")[0]["prompt"][0]["text"] == "read b.txt too"


def test_a_message_is_read_from_stdin(cli: Cli) -> None:
    define(cli, session=CHOICES, steers=True, waits=True)
    task_id = cli.run("launch", "worker", "begin").stdout.strip()
    until_prompted(cli, task_id)
    done = cli.shell(f"printf 'two\\nlines' | sidecar send {task_id} -")
    assert done.returncode == 0, done.stderr
    assert received(cli, "_session/steering")[0]["prompt"][0]["text"] == "two\nlines"


def test_a_message_that_cannot_be_delivered_says_why(cli: Cli) -> None:
    define(cli, session=CHOICES, waits=True)
    nobody = cli.run("send", "0199", "x")
    assert nobody.returncode == 1
    assert "no Host is running, so no run can receive messages" in nobody.stderr
    task_id = cli.run("launch", "worker", "begin").stdout.strip()
    until_prompted(cli, task_id)
    blank = cli.run("send", task_id, " ")
    assert (blank.returncode, "text: is blank" in blank.stderr) == (2, True)
    kept = cli.run("launch", "worker", "begin").stdout.strip()  # or the Host would end
    cli.run("cancel", task_id)
    ended = cli.run("send", task_id, "x")
    assert ended.returncode == 1
    assert "cannot receive messages: it is cancelled" in ended.stderr
    cli.run("cancel", kept)
