"""Commands that were killed, that run at once, or whose files somebody removed, leave nothing behind."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.cli.install.agents import NAME
from sidecar.cli.install.change import backup_path
from tests.cli.program import Cli

Environment = dict[str, str]
KILLED = """
import os, signal, sys
from pathlib import Path
from sidecar.cli.main import main
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.exit(main(sys.argv[1:]))
"""
"""A program that is killed before its first file gets its name."""


def change(cli: Cli, env: Environment, verb: str, *options: str) -> str:
    done = cli.run("mcp", verb, "claude", "--yes", *options, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if "claude" in each.name)


@pytest.mark.parametrize("text", [None, "{}"])
@pytest.mark.parametrize("verb", ["--install", "--uninstall"])
def test_the_next_command_removes_what_a_killed_one_left(
    cli: Cli, env: Environment, verb: str, text: str | None
) -> None:
    path = cli.home / ".claude.json"
    if text is not None:
        path.write_text(text)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, "mcp", "--install", "claude", "--yes"],
        env={**cli.env, **env},
        check=False,
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL
    assert any(name.endswith(".tmp") for name in names(cli.home))
    change(cli, env, verb)
    assert not any(name.endswith(".tmp") for name in names(cli.home))
    change(cli, env, "--uninstall")
    assert names(cli.home) == ([] if text is None else [path.name])


def test_files_of_the_user_and_of_living_processes_stay(cli: Cli, env: Environment) -> None:
    kept = [
        ".claude.json.123.tmp",
        "..claude.json.4194305.tmp",
        f"..claude.json.{NAME}.tmp",
        f"..claude.json.{NAME}.12x.tmp",
        f"..claude.json.{NAME}.{os.getpid()}.tmp",
        f"..claude.json.{NAME}.4194305.tmp.bak",
        f"..claude.json5.{NAME}.4194305.tmp",
    ]
    for name in kept:
        (cli.home / name).write_text("mine")
    (cli.home / f"..claude.json.{NAME}.4194306.tmp").mkdir()
    (cli.home / f"..claude.json.{NAME}.4194305.tmp").write_text("left by a process that is gone")
    change(cli, env, "--install")
    change(cli, env, "--uninstall")
    assert names(cli.home) == sorted([*kept, f"..claude.json.{NAME}.4194306.tmp"])


def test_a_backup_of_a_file_that_is_gone_goes_with_the_next_installation(cli: Cli, env: Environment) -> None:
    path = cli.home / ".claude.json"
    path.write_text('{"theme": "old"}')
    change(cli, env, "--install")
    path.unlink()
    assert f"removed the old backup {backup_path(path)}" in change(cli, env, "--install")
    assert names(cli.home) == [path.name]
    change(cli, env, "--uninstall")
    assert names(cli.home) == []


def test_a_damaged_backup_is_named_with_the_remedy(cli: Cli, env: Environment) -> None:
    path = cli.home / ".claude.json"
    path.write_text("{}")
    change(cli, env, "--install")
    backup_path(path).write_text("{")
    done = cli.run("mcp", "--uninstall", "claude", "--yes", **env)
    assert done.returncode == 1
    assert f"{backup_path(path)} cannot be used; remove it and run the command again" in done.stderr
    backup_path(path).unlink()
    change(cli, env, "--uninstall")


def test_a_command_waits_for_no_other_and_says_what_to_do(cli: Cli, env: Environment) -> None:
    path = cli.home / ".claude.json"
    path.write_text("{}")
    handle = os.open(cli.home, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = cli.run("mcp", "--install", "claude", "--yes", **env)
    finally:
        os.close(handle)
    assert done.returncode == 1
    assert f"another program is changing {cli.home}; run the command again" in done.stderr
    assert names(cli.home) == [path.name]
    assert path.read_text() == "{}"
    change(cli, env, "--install")


def test_commands_at_once_leave_a_whole_file_and_the_first_text(cli: Cli, env: Environment) -> None:
    path = cli.home / ".claude.json"
    path.write_text('{"theme": "dark"}')
    options = [["--trust"], [], ["--storage-root", "/r"], ["--config", "/c"]]
    started = [cli.start("mcp", "--install", "claude", "--yes", *each, **env) for each in options]
    done = [process.communicate(timeout=60) for process in started]
    codes = [process.returncode for process in started]
    assert 0 in codes
    for code, (_, complaint) in zip(codes, done, strict=True):
        assert code == 0 or "run the command again" in complaint
    assert NAME in json.loads(path.read_text())["mcpServers"]
    assert names(cli.home) == [path.name, backup_path(path).name]
    change(cli, env, "--uninstall")
    assert path.read_text() == '{"theme": "dark"}'


def test_a_link_to_the_file_stays_a_link(cli: Cli, env: Environment) -> None:
    path, real = cli.home / ".claude.json", cli.home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{ }")
    path.symlink_to(real)
    change(cli, env, "--install")
    assert NAME in real.read_text()
    change(cli, env, "--uninstall")
    assert path.is_symlink()
    assert real.read_text() == "{ }"
    assert names(real.parent) == [real.name]
