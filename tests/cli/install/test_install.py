"""`mcp --install` changes an agent's configuration, and `--uninstall` undoes it exactly."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.install.agents import AGENTS, NAME
from tests.cli.install.conftest import USER_FILES
from tests.cli.program import Cli

TEXTS = {"json": '{\n  // mine\n  "theme": "dark",\n}', "toml": "# mine\nmodel = 'x'"}


def entry(agent: str, path: Path) -> Any:
    text = path.read_text()
    values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text.replace("// mine", ""))
    return values[AGENTS[agent].container].get(NAME)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_new_file_is_written_and_removed_again(cli: Cli, env: dict[str, str], agent: str) -> None:
    path = cli.home / USER_FILES[agent]
    done = cli.run("mcp", "--install", agent, "--yes", **env)
    assert done.returncode == 0, done.stderr
    assert f"+++ {path}" in done.stdout
    command = entry(agent, path)["command"]
    assert "sidecar" in json.dumps(entry(agent, path))
    assert (command if isinstance(command, str) else command[0]).startswith("/")
    assert "already in" in cli.run("mcp", "--install", agent, **env).stdout
    assert cli.run("mcp", "--uninstall", agent, "--yes", **env).returncode == 0
    assert not path.exists()
    assert "is not in" in cli.run("mcp", "--uninstall", agent, **env).stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_is_extended_and_restored_to_the_byte(cli: Cli, env: dict[str, str], agent: str) -> None:
    path = cli.home / USER_FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = TEXTS[AGENTS[agent].format]
    path.write_text(text)
    path.chmod(0o640)
    assert cli.run("mcp", "--install", agent, "--yes", **env).returncode == 0
    assert "mine" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640
    assert cli.run("mcp", "--install", agent, "--trust", "--yes", **env).returncode == 0
    assert "--trust" in path.read_text()
    assert cli.run("mcp", "--uninstall", agent, "--yes", **env).returncode == 0
    assert path.read_text() == text
    assert [each.name for each in path.parent.iterdir() if "subagent" in each.name] == []


def test_codex_passes_on_where_runs_and_definitions_are(cli: Cli, env: dict[str, str]) -> None:
    done = cli.run("mcp", "--install", "codex", "--yes", **env)
    passed_on = entry("codex", cli.home / USER_FILES["codex"])["env_vars"]
    assert {"SIDECAR_STORAGE_ROOT", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} <= set(passed_on)
    assert "env_vars" in done.stderr


def test_what_was_changed_meanwhile_stays(cli: Cli, env: dict[str, str]) -> None:
    path = cli.home / ".claude.json"
    path.write_text('{"a": 1, "mcpServers": {"x": {}}}')
    cli.run("mcp", "--install", "claude", "--yes", **env)
    changed = json.loads(path.read_text()) | {"b": 2}
    path.write_text(json.dumps(changed))
    cli.run("mcp", "--uninstall", "claude", "--yes", **env)
    assert json.loads(path.read_text()) == {"a": 1, "b": 2, "mcpServers": {"x": {}}}


OWN_ENTRIES = {
    "claude": '{\n  "mcpServers": {\n    "subagent-sidecar": {"command": "mine", "env": {}}\n  }\n}\n',
    "gemini": '{"mcpServers": {"subagent-sidecar": null}}',
    "codex": "x = nan\n[mcp_servers.'subagent-sidecar']\ncommand = 'mine'\n",
    "opencode": '{\n  "mcp": {\n    // none yet\n  },\n}\n',
}


@pytest.mark.parametrize("agent", OWN_ENTRIES)
def test_what_the_user_wrote_for_the_server_comes_back(cli: Cli, env: dict[str, str], agent: str) -> None:
    path = cli.home / USER_FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OWN_ENTRIES[agent])
    for option in ("--install", "--install", "--uninstall"):
        done = cli.run("mcp", option, agent, "--yes", **env)
        assert done.returncode == 0, done.stderr
    assert path.read_text() == OWN_ENTRIES[agent]


def test_the_workspaces_file_is_changed_on_request(cli: Cli, env: dict[str, str]) -> None:
    folder = cli.home / "project"
    folder.mkdir()
    done = cli.run("mcp", "--install", "vscode", "--workspace", str(folder), "--yes", **env)
    assert done.returncode == 0, done.stderr
    written = json.loads((folder / ".vscode" / "mcp.json").read_text())["servers"][NAME]
    assert written["args"][-2:] == ["--workspace", "${workspaceFolder}"]


def test_nothing_is_written_without_a_yes(cli: Cli, env: dict[str, str]) -> None:
    done = cli.run("mcp", "--install", "gemini", **env)
    assert done.returncode != 0
    assert "subagent-sidecar" in done.stdout
    assert not (cli.home / ".gemini" / "settings.json").exists()


@pytest.mark.parametrize(("agent", "text"), [("gemini", "{nonsense"), ("codex", "= 1"), ("claude", "[]")])
def test_a_file_that_is_broken_is_left_alone(cli: Cli, env: dict[str, str], agent: str, text: str) -> None:
    path = cli.home / USER_FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    done = cli.run("mcp", "--install", agent, "--yes", **env)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert path.read_text() == text


def test_an_empty_workspace_stays_after_the_server_is_removed(cli: Cli, env: dict[str, str]) -> None:
    folder = cli.home / "project"
    folder.mkdir()
    for verb in ("--install", "--uninstall"):
        done = cli.run("mcp", verb, "claude", "--workspace", str(folder), "--yes", **env)
        assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []


def test_a_file_with_the_container_twice_is_left_alone(cli: Cli, env: dict[str, str]) -> None:
    path = cli.home / ".claude.json"
    text = '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}'
    path.write_text(text)
    done = cli.run("mcp", "--install", "claude", "--yes", **env)
    assert done.returncode == 1
    assert "more than once" in done.stderr
    assert path.read_text() == text


@pytest.mark.parametrize("verb", ["--install", "--uninstall"])
@pytest.mark.parametrize("kind", ["loop", "pipe"])
def test_what_is_not_a_file_is_refused_in_one_sentence(
    cli: Cli, env: dict[str, str], verb: str, kind: str
) -> None:
    path = cli.home / ".claude.json"
    if kind == "loop":
        path.symlink_to(path.name)
    else:
        os.mkfifo(path)
    done = cli.run("mcp", verb, "claude", "--yes", **env)
    assert done.returncode == 1
    assert done.stderr.startswith(f"subagent-sidecar: {path} cannot be read: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_file_with_crlf_keeps_to_crlf(cli: Cli, env: dict[str, str], agent: str) -> None:
    path = cli.home / USER_FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = {"json": b'{\r\n  "theme": "dark"\r\n}\r\n', "toml": b"model = 'x'\r\n"}[AGENTS[agent].format]
    path.write_bytes(text)
    assert cli.run("mcp", "--install", agent, "--yes", **env).returncode == 0
    written = path.read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > text.count(b"\n")
    assert cli.run("mcp", "--uninstall", agent, "--yes", **env).returncode == 0
    assert path.read_bytes() == text


def test_a_read_only_file_is_left_alone(cli: Cli, env: dict[str, str]) -> None:
    path = cli.home / ".claude.json"
    path.write_text("{}")
    path.chmod(0o444)
    done = cli.run("mcp", "--install", "claude", "--yes", **env)
    assert done.returncode != 0
    assert f"{path} is read-only; make it writable" in done.stderr
    assert path.read_text() == "{}"


def test_an_enormous_file_is_refused(cli: Cli, env: dict[str, str]) -> None:
    path = cli.home / ".claude.json"
    with path.open("wb") as file:
        file.truncate(65 * 2**20)
    done = cli.run("mcp", "--install", "claude", "--yes", **env)
    assert done.returncode != 0
    assert "has more than 64 MiB" in done.stderr


def test_the_diff_in_a_pipe_shows_no_hidden_characters(cli: Cli, env: dict[str, str]) -> None:
    path = cli.home / ".claude.json"
    path.write_text('{"theme": "\u202edark\u200b"}')
    shown = cli.run("mcp", "--install", "claude", "--yes", **env).stdout
    assert "\u202e" not in shown
    assert "\u200b" not in shown
