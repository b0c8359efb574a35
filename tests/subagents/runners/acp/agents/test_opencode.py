"""What opencode and kilo are started with, and the repositories in which they are not started."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun
from sidecar.subagents.runners.acp.agents.opencode import kilo, opencode
from sidecar.subagents.runners.acp.agents.profiles import PROFILES


def config_of(extras: Extras) -> Any:
    return json.loads(next(value for name, value in extras.env.items() if name.endswith("CONFIG_CONTENT")))


@pytest.mark.parametrize("agent", ["opencode", "kilo"])
def test_tools_that_are_not_on_the_list_are_denied(agent: str, tmp_path: Path) -> None:
    env = PROFILES[agent].guard(GuardedRun(tmp_path, ToolRule((("Read", "Bash"),)))).env
    permission = json.loads(env[f"{agent.upper()}_PERMISSION"])
    denied = {name for name, verdict in permission.items() if verdict == "deny"}
    assert denied == {"glob", "grep", "list", "task"}
    assert (permission["bash"], permission["*"], next(iter(permission))) == ("ask", "ask", "*")
    agents = json.loads(env[f"{agent.upper()}_CONFIG_CONTENT"])["agent"]
    explorer = agents.pop("explore")["permission"]
    assert all(each["permission"] == permission for each in agents.values())
    assert "ask" not in str(explorer)


def test_without_a_list_only_the_subagent_that_looks_is_there(tmp_path: Path) -> None:
    config = config_of(opencode(GuardedRun(tmp_path)))
    assert config["agent"]["build"]["permission"]["task"] == {"*": "deny", "explore": "allow"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".opencode/plugin/a.js", ""),
        (".opencode/plugins/a.ts", ""),
        ("opencode.json", '{"plugin": ["./a.js"]}'),
        ("opencode.jsonc", '{// x\n"plugins" /* y */ : ["./a.js"],}'),
        (".opencode/opencode.json", r'{"\u0070lugin": ["./a.js"]}'),
        ("opencode.json", " " * 1_100_000),
    ],
)
@pytest.mark.parametrize("must_ask", [True, False])
@pytest.mark.parametrize("guard", [opencode, kilo])
def test_a_repository_with_plugins_is_refused(
    tmp_path: Path, path: str, text: str, must_ask: bool, guard: Any
) -> None:
    (tmp_path / ".git").mkdir()
    workspace = tmp_path / "sub"
    workspace.mkdir()
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
    with pytest.raises(ValueError, match="makes the agent load a plugin of the repository; remove it"):
        guard(GuardedRun(workspace, must_ask=must_ask))


def test_a_configuration_without_plugins_is_only_left_out(tmp_path: Path) -> None:
    (tmp_path / ".opencode").mkdir()
    (tmp_path / "opencode.json").write_text('{"mcp": {}}')
    found = opencode(GuardedRun(tmp_path, must_ask=False))
    assert found.env["OPENCODE_DISABLE_PROJECT_CONFIG"] == "1"
    assert "OPENCODE_PERMISSION" not in found.env


def test_programs_that_lie_in_the_repository_are_not_started_after_an_edit(tmp_path: Path) -> None:
    config = config_of(opencode(GuardedRun(tmp_path)))
    assert (config["formatter"], config["lsp"]) == (False, False)
