"""`agents validate`: what is wrong with definitions, for people and for scripts."""

import json

import pytest

from tests.cli.program import Cli

FAULTY = "---\nname: far\nkind: remote\ndescription: d\n---\n"


def write(cli: Cli, folder: str, name: str, text: str) -> str:
    path = cli.workspace / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_sound_definitions_are_exit_0(cli: Cli) -> None:
    done = cli.run("agents", "validate")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith(" definitions, 0 problems\n")


def test_each_error_is_a_line_with_file_and_line_and_the_exit_is_1(cli: Cli) -> None:
    path = write(cli, ".gemini/agents", "far.md", FAULTY)
    done = cli.run("agents", "validate")
    assert done.returncode == 1
    assert done.stdout == f"{path}:3: kind: remote agents are not supported\n"


def test_one_definition_is_counted_in_the_singular(cli: Cli) -> None:
    one = write(cli, ".sidecar/agents", "far.md", FAULTY)
    assert cli.run("agents", "validate", one).stderr == "1 definition, 1 problem\n"
    two = write(cli, ".sidecar/agents", "near.md", "---\nname: near\ndescription: d\n---\nDo it.\n")
    assert cli.run("agents", "validate", two).stderr == "1 definition, 0 problems\n"


@pytest.mark.parametrize("named", [".", ".gemini/agents", ".gemini/agents/far.md"])
def test_a_workspace_a_folder_or_a_file_can_be_named(cli: Cli, named: str) -> None:
    path = write(cli, ".gemini/agents", "far.md", FAULTY)
    done = cli.run("agents", "validate", named, "--json")
    assert done.returncode == 1
    assert [problem["path"] for problem in json.loads(done.stdout)["problems"]] == [path]


def test_a_folder_without_definitions_is_not_sound(cli: Cli) -> None:
    done = cli.run("agents", "validate", ".")
    assert done.returncode == 1
    assert "contains no definitions; name a file, a folder of definitions or a workspace" in done.stdout


@pytest.mark.parametrize("line", ["agents --trust validate", "agents validate /no/such", "agents nonsense"])
def test_wrong_use_is_exit_2(cli: Cli, line: str) -> None:
    done = cli.run(*line.split())
    assert (done.returncode, done.stdout) == (2, "")


def test_the_definitions_of_other_tools_ask_for_trust_too(cli: Cli) -> None:
    write(cli, ".claude/agents", "theirs.md", "---\nname: theirs\ndescription: d\n---\n")
    untrusted = cli.run("agents")
    assert "theirs" not in untrusted.stdout
    assert "--trust to list them too" in untrusted.stderr
    assert "theirs" in cli.run("agents", "--trust").stdout
