"""What all commands share: options, exit codes, where output goes."""

import pytest

from tests.cli.program import Cli

COMMANDS = ("serve", "list", "show", "agents", "agents validate", "launch", "ps", "logs", "mcp", "demo")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_version_can_be_asked_everywhere(cli: Cli, command: str) -> None:
    done = cli.run(*command.split(), "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("subagent-sidecar ")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nope",
        "list --nope",
        "list --limit 0",
        "list --root /no/such/path",
        "list --sort mood",
        "show",
        "launch cat",
        "list --log-level loud",
        "serve --nope",
    ],
)
def test_wrong_use_is_exit_2_and_reported_on_stderr(cli: Cli, line: str) -> None:
    done = cli.run(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


@pytest.mark.parametrize("command", ["list", "ps", "agents", "demo", "serve"])
def test_a_settings_file_with_an_error_is_refused_by_name(cli: Cli, command: str) -> None:
    settings = cli.home / "bad.toml"
    settings.write_text("[asyncTasks]\nmaxx = 1\n")
    done = cli.run(command, "--config", str(settings))
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown setting asyncTasks.maxx" in done.stderr
    assert str(settings) in done.stderr


@pytest.mark.parametrize("command", ["list", "serve"])
def test_a_clock_that_is_none_is_refused(cli: Cli, command: str) -> None:
    done = cli.run(command, SIDECAR_NOW_MS="noon")
    assert done.returncode == 2
    assert "SIDECAR_NOW_MS='noon'" in done.stderr


def test_a_reader_that_leaves_is_not_a_failure(cli: Cli) -> None:
    done = cli.shell("sidecar list --json | true; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("target", [">&-", ">/dev/full"])
def test_output_that_cannot_be_written_is_a_failure_without_a_traceback(cli: Cli, target: str) -> None:
    done = cli.shell(f"sidecar ps --json {target}")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_color_is_for_terminals_and_can_be_turned_off(cli: Cli) -> None:
    assert "\x1b[" not in cli.run("agents").stdout
    assert "\x1b[" in cli.on_terminal("agents")
    assert "\x1b[" in cli.on_terminal("agents", NO_COLOR="")
    plain = cli.on_terminal("agents", NO_COLOR="1")
    assert "\x1b[" not in plain
    assert "Runs cat." in plain
