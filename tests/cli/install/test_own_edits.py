"""What the user writes into a configuration after `mcp --install` stays when the server goes."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from sidecar.cli.install.agents import AGENTS, NAME
from sidecar.cli.install.change import backup_path
from sidecar.cli.install.entry import PLACEHOLDER
from tests.cli.install.conftest import USER_FILES
from tests.cli.program import Cli

Environment = dict[str, str]
MINE = {"json": '{"theme": "dark"}\n', "toml": 'model = "x"\n'}
COMMENT = {"json": "// written later\n", "toml": "# written later\n"}


def change(cli: Cli, env: Environment, verb: str, agent: str, *options: str) -> str:
    done = cli.run("mcp", verb, agent, "--yes", *options, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(cli: Cli, agent: str, text: str) -> Path:
    path = cli.home / USER_FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("agent", AGENTS)
def test_comments_and_format_written_later_stay_to_the_byte(cli: Cli, env: Environment, agent: str) -> None:
    form = AGENTS[agent].format
    path = write(cli, agent, MINE[form])
    change(cli, env, "--install", agent)
    path.write_text(COMMENT[form] + path.read_text() + "\n" + COMMENT[form])
    change(cli, env, "--uninstall", agent)
    assert path.read_text() == COMMENT[form] + MINE[form] + "\n" + COMMENT[form]
    assert not backup_path(path).exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_comment_in_a_file_of_the_installation_keeps_it(cli: Cli, env: Environment, agent: str) -> None:
    path, comment = cli.home / USER_FILES[agent], COMMENT[AGENTS[agent].format]
    change(cli, env, "--install", agent)
    path.write_text(comment + path.read_text())
    change(cli, env, "--uninstall", agent)
    assert path.read_text().startswith(comment)
    assert NAME not in path.read_text()


def test_servers_and_commas_written_later_stay_to_the_byte(cli: Cli, env: Environment) -> None:
    path = write(cli, "gemini", '{\n    "a": 1,\n}\n')
    change(cli, env, "--install", "gemini")
    text = path.read_text().replace('"mcpServers": {', '"mcpServers": {\n  // next\n  "o":  {},\n', 1)
    path.write_text(text)
    change(cli, env, "--uninstall", "gemini")
    assert path.read_text() == '{\n    "mcpServers": {\n  // next\n  "o":  {}\n\n    },\n    "a": 1,\n}\n'


def test_an_entry_of_the_users_own_is_not_lost(cli: Cli, env: Environment) -> None:
    path = write(cli, "claude", '{"mcpServers": {"subagent-sidecar": {"command": "mine"}}}')
    change(cli, env, "--install", "claude")
    in_doubt = f'// "{PLACEHOLDER}"\n'
    path.write_text(in_doubt + path.read_text())
    assert str(backup_path(path)) in change(cli, env, "--uninstall", "claude")
    assert path.read_text() == in_doubt + '{"mcpServers": {}}'
    assert "mine" in backup_path(path).read_text()
    for _ in range(2):  # now the backup is its only copy
        change(cli, env, "--uninstall", "claude")
        assert "mine" in backup_path(path).read_text()
    for text in ("{}", None):
        path.unlink() if text is None else path.write_text(text)
        refused = cli.run("mcp", "--install", "claude", "--yes", **env)
        assert refused.returncode == 1
        assert f"{backup_path(path)} holds your own {NAME}" in refused.stderr
        assert "mine" in backup_path(path).read_text()


def test_names_that_codex_passes_on_keep_their_order(cli: Cli, env: Environment) -> None:
    path = write(cli, "codex", "")
    change(cli, env, "--install", "codex")
    text = path.read_text().replace("env_vars = [", 'env_vars = ["MY_KEY", ')
    path.write_text(text)
    change(cli, env, "--install", "codex")
    assert path.read_text() == text
    path.write_text(text.replace('"SIDECAR_STORAGE_ROOT", ', ""))
    change(cli, env, "--install", "codex", "--trust")
    names = tomllib.loads(path.read_text())["mcp_servers"][NAME]["env_vars"]
    assert (names[0], names[-1]) == ("MY_KEY", "SIDECAR_STORAGE_ROOT")


def test_a_file_that_the_user_wrote_stays(cli: Cli, env: Environment) -> None:
    path = write(cli, "claude", '{"mcpServers": {"subagent-sidecar": {"command": "mine"}}}')
    change(cli, env, "--uninstall", "claude")
    assert path.read_text() == '{"mcpServers": {}}'


@pytest.mark.parametrize("first", ['"subagent-sidecar": {}', '"a": {}'])
def test_a_file_with_the_container_twice_is_left_alone(cli: Cli, env: Environment, first: str) -> None:
    text = f'{{"mcpServers": {{{first}}}, "mcpServers": {{"subagent-sidecar": {{}}}}}}'
    path = write(cli, "claude", text)
    done = cli.run("mcp", "--uninstall", "claude", "--yes", **env)
    assert done.returncode == 1
    assert f"{path} cannot be changed" in done.stderr
    assert path.read_text() == text


@pytest.mark.parametrize("agent", AGENTS)
def test_the_backup_goes_if_the_user_removed_the_server(cli: Cli, env: Environment, agent: str) -> None:
    text = MINE[AGENTS[agent].format]
    path = write(cli, agent, text)
    change(cli, env, "--install", agent)
    path.write_text(text)
    assert str(backup_path(path)) in change(cli, env, "--uninstall", agent)
    assert path.read_text() == text
    assert not backup_path(path).exists()


def test_the_backup_goes_if_the_user_removed_the_file(cli: Cli, env: Environment) -> None:
    path = write(cli, "claude", "{}")
    change(cli, env, "--install", "claude")
    path.unlink()
    change(cli, env, "--uninstall", "claude")
    assert not path.exists()
    assert not backup_path(path).exists()


def test_the_server_is_found_in_each_file_of_the_agent(cli: Cli, env: Environment) -> None:
    path = write(cli, "opencode", "{}")
    change(cli, env, "--install", "opencode")
    newer = path.with_suffix(".jsonc")
    newer.write_text("// new\n{}")
    assert "already in" in change(cli, env, "--install", "opencode")
    assert str(path) in change(cli, env, "--install", "opencode", "--trust")
    assert "--trust" in path.read_text()
    change(cli, env, "--uninstall", "opencode")
    assert (path.read_text(), newer.read_text()) == ("{}", "// new\n{}")


@pytest.mark.parametrize("home", ["", "relative"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_home_that_names_no_folder_is_refused(cli: Cli, env: Environment, agent: str, home: str) -> None:
    done = cli.run("mcp", "--install", agent, "--yes", **env | {"HOME": home})
    assert done.returncode != 0
    assert f"HOME is {home!r}, not an absolute path; set it to your home folder" in done.stderr


@pytest.mark.parametrize("option", ["--storage-root", "--config"])
def test_a_path_that_is_not_utf8_is_refused(cli: Cli, env: Environment, option: str) -> None:
    done = cli.run("mcp", "--install", "claude", "--yes", option, os.fsdecode(b"/tmp/r\xff"), **env)
    assert done.returncode != 0
    assert "/tmp/r\ufffd is not UTF-8" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (cli.home / ".claude.json").exists()


def test_a_file_with_only_a_comment_is_extended_and_restored(cli: Cli, env: Environment) -> None:
    path = write(cli, "vscode", "// my servers\n")
    change(cli, env, "--install", "vscode")
    assert path.read_text().startswith("// my servers\n{\n")
    change(cli, env, "--uninstall", "vscode")
    assert path.read_text() == "// my servers\n"


def test_an_entry_of_the_users_own_with_the_same_command_comes_back(cli: Cli, env: Environment) -> None:
    entry = '{"command": "python3", "args": ["-m", "sidecar", "mcp"]}'
    own = f'{{"mcpServers": {{"{NAME}": {entry}}}, "x": 1}}'
    path = write(cli, "claude", own)
    change(cli, env, "--install", "claude")
    assert backup_path(path).read_text() == own
    change(cli, env, "--uninstall", "claude")
    assert path.read_text() == own


def test_variables_that_the_user_added_survive_another_installation(cli: Cli, env: Environment) -> None:
    gemini = write(cli, "gemini", MINE["json"])
    change(cli, env, "--install", "gemini")
    gemini.write_text(gemini.read_text().replace('"command"', '"env": {"KEY": "$KEY"}, "command"'))
    change(cli, env, "--install", "gemini", "--trust")
    server = json.loads(gemini.read_text())["mcpServers"][NAME]
    assert (server["env"], server["args"][-1]) == ({"KEY": "$KEY"}, "--trust")


def test_values_of_every_type_survive_another_installation_in_toml(cli: Cli, env: Environment) -> None:
    codex = write(cli, "codex", MINE["toml"])
    change(cli, env, "--install", "codex")
    added = "tool_timeout_sec = 1.50\nretries = 3\nenabled = false\nsince = 2026-01-02\n"
    added += f'[mcp_servers.{NAME}.env]\n"A b" = "c"\n'
    codex.write_text(codex.read_text().replace('"XDG_CACHE_HOME"]', '"XDG_CACHE_HOME", "KEY"]') + added)
    before = tomllib.loads(codex.read_text())["mcp_servers"][NAME]
    change(cli, env, "--install", "codex", "--trust")
    after = tomllib.loads(codex.read_text())["mcp_servers"][NAME]
    assert after == {**before, "args": [*before["args"], "--trust"]}
    assert "is already in" in change(cli, env, "--install", "codex", "--trust")
    change(cli, env, "--uninstall", "codex")
    assert codex.read_text() == MINE["toml"]
