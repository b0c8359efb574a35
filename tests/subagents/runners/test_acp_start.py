"""The command and the environment that an agent is started with."""

import json
import shlex
import sys
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import RunnerSettings
from sidecar.subagents.equipment.servers import McpServer
from sidecar.subagents.runners.acp.agents.profiles import PROFILES
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec

pytestmark = pytest.mark.slow  # each starts an agent

LOG = """
import json, os, sys
found = {"argv": sys.argv[1:], "env": dict(os.environ)}
json.dump(found, open("started.json", "w"))
asked = json.loads(sys.stdin.readline() or "{}")
print(json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": {"protocolVersion": 1}}), flush=True)
json.dump({**found, "session": json.loads(sys.stdin.readline() or "{}")}, open("started.json", "w"))
"""
Started = Callable[..., Awaitable[Any]]
Json = dict[str, Any]


@pytest.fixture
def started(tmp_path: Path, task_ids: list[str]) -> Started:
    """Run a stub under an agent's name, and return its arguments and its environment."""
    (tmp_path / "log.py").write_text(LOG)
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    async def started(agent: str, **spec: Any) -> Any:
        program = tmp_path / PROFILES[agent].command[0]
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I {tmp_path / "log.py"} "$@"\n')
        program.chmod(0o755)
        runner = AcpRunner(agent, RunnerSettings(type="acp", env={"PATH": f"{tmp_path}:/usr/bin:/bin"}))
        task_ids.append(str(uuid4()))

        async def ignore(_: dict[str, Any]) -> None: ...

        run = await runner.start(RunSpec(task_ids[-1], "x", workspace, **spec), ignore)
        await run.result()
        await run.stop()
        return json.loads((workspace / "started.json").read_text())

    return started


@pytest.mark.parametrize("agent", [name for name, profile in PROFILES.items() if profile.model_flag])
async def test_a_model_is_one_word_on_the_command_line(started: Started, agent: str) -> None:
    assert "--model=some/model-1" in (await started(agent, model="some/model-1"))["argv"]


@pytest.mark.parametrize("agent", [name for name, profile in PROFILES.items() if profile.model_flag])
@pytest.mark.parametrize("model", ["--yolo", "--approval-mode=yolo", "-y", "--openai-base-url=http://evil"])
async def test_a_model_that_is_an_option_fails_the_launch(started: Started, agent: str, model: str) -> None:
    with pytest.raises(RunnerUnavailable, match=f"'{model}' is not a valid model name.*correct model:"):
        await started(agent, model=model)


async def test_gemini_trusts_a_folder_only_where_the_user_does_and_it_need_not_ask(started: Started) -> None:
    trusted = await started("gemini", policy="allowAll", trusted=True)
    assert "--skip-trust" in trusted["argv"]
    assert trusted["env"]["GEMINI_CLI_TRUST_WORKSPACE"] == "true"
    for spec in ({"policy": "allowAll"}, {"trusted": True}):
        guarded = await started("gemini", **spec)
        assert "--skip-trust" not in guarded["argv"]
        assert guarded["env"]["GEMINI_CLI_TRUST_WORKSPACE"] == "false"


async def test_codex_and_qwen_wait_for_the_servers_of_a_run_to_name_those_that_fail(started: Started) -> None:
    given: Json = {"policy": "allowAll", "trusted": True, "servers": [McpServer("docs", (sys.executable,))]}
    codex = (await started("codex-acp", **given))["session"]["params"]
    assert [each["name"] for each in codex["mcpServers"]] == ["docs"]
    assert codex["_meta"]["mcpStartupAwaitTimeoutMs"] == 32_000
    assert (await started("qwen", **given))["env"]["QWEN_CODE_LEGACY_MCP_BLOCKING"] == "1"


async def test_a_run_without_servers_does_not_wait_for_those_of_the_user(started: Started) -> None:
    assert "mcpStartupAwaitTimeoutMs" not in (await started("codex-acp"))["session"]["params"]["_meta"]
    assert "QWEN_CODE_LEGACY_MCP_BLOCKING" not in (await started("qwen"))["env"]


ADDED = {
    "opencode": "OPENCODE_DISABLE_PROJECT_CONFIG",
    "kilo": "KILO_DISABLE_PROJECT_CONFIG",
    "qwen": "QWEN_CODE_TRUSTED_FOLDERS_PATH",
    "gemini": "GEMINI_CLI_TRUST_WORKSPACE",
}


@pytest.mark.parametrize("agent", ADDED)
@pytest.mark.parametrize(
    ("policy", "trusted"), [("ask", True), ("deny", True), ("allowAll", False), ("ask", False)]
)
async def test_settings_of_the_workspace_do_not_count(
    started: Started, agent: str, policy: Policy, trusted: bool
) -> None:
    assert (await started(agent, policy=policy, trusted=trusted))["env"].get(ADDED[agent]) not in (
        None,
        "true",
    )


@pytest.mark.parametrize("agent", ADDED)
async def test_settings_of_a_trusted_workspace_count_where_everything_is_allowed(
    started: Started, agent: str
) -> None:
    found = (await started(agent, policy="allowAll", trusted=True))["env"].get(ADDED[agent])
    assert found == ("true" if agent == "gemini" else None)


async def test_gemini_and_qwen_get_rules_that_nothing_outranks(started: Started) -> None:
    (rules,) = (each for each in (await started("gemini"))["argv"] if each.startswith("--admin-policy="))
    found = tomllib.loads(Path(rules.partition("=")[2]).read_text())["rule"]
    assert {rule["decision"] for rule in found} == {"ask_user"}
    settings = Path((await started("qwen"))["env"]["QWEN_CODE_SYSTEM_SETTINGS_PATH"])
    assert json.loads(settings.read_text())["disableAllHooks"] is True


async def test_rules_that_ask_are_not_added_where_everything_is_allowed(started: Started) -> None:
    assert (await started("gemini", policy="allowAll"))["argv"] == ["--acp"]
    env = (await started("qwen", policy="allowAll"))["env"]
    settings = json.loads(Path(env["QWEN_CODE_SYSTEM_SETTINGS_PATH"]).read_text())
    assert settings == {"security": {"folderTrust": {"enabled": True}}, "$version": 4}


async def test_opencode_still_reads_the_instructions_of_the_workspace(
    started: Started, tmp_path: Path
) -> None:
    instructions = tmp_path / "workspace" / "AGENTS.md"
    instructions.write_text("Be brief.")
    config = json.loads((await started("opencode"))["env"]["OPENCODE_CONFIG_CONTENT"])
    assert config["instructions"] == [str(instructions)]
    assert config["agent"]["build"]["permission"]["bash"] == "ask"
    assert config["agent"]["build"]["permission"]["read"]["*.env"] == "ask"


@pytest.mark.parametrize("above", [0, 1])
async def test_codex_is_refused_where_rules_of_the_repository_allow_commands(
    started: Started, tmp_path: Path, above: int
) -> None:
    folder = (tmp_path / "workspace", tmp_path)[above]
    (folder / ".codex" / "rules").mkdir(parents=True)
    (folder / ".git").mkdir()
    with pytest.raises(RunnerUnavailable, match="may allow commands without asking"):
        await started("codex-acp")
    assert await started("codex-acp", policy="allowAll", trusted=True)


@pytest.mark.parametrize(
    ("agent", "name"),
    [("gemini", "GEMINI.md"), ("qwen", "QWEN.md"), ("qwen", "AGENTS.md"), ("claude-agent-acp", "CLAUDE.md")],
)
@pytest.mark.parametrize(
    ("spec", "is_given"),
    [
        pytest.param({"trusted": True}, True, id="asks"),
        pytest.param(
            {"policy": "allowAll", "trusted": True}, False, id="allowed everything", marks=pytest.mark.slow
        ),
        pytest.param({}, False, id="not trusted", marks=pytest.mark.slow),
    ],
)
async def test_an_agent_gets_the_instructions_that_it_does_not_read(
    tmp_path: Path, agent: str, name: str, spec: Any, is_given: bool, task_ids: list[str]
) -> None:
    (tmp_path / name).write_text("Be brief.")
    command = [sys.executable, str(Path(__file__).parents[2] / "agents" / "scripted.py"), "--lasting"]
    env = {"PYTHONPATH": str(Path(__file__).parents[3])}
    runner = AcpRunner(agent, RunnerSettings(type="acp", command=command, env=env))
    task_ids.append(str(uuid4()))

    async def ignore(_: dict[str, Any]) -> None: ...

    run = await runner.start(RunSpec(task_ids[-1], "say hello", tmp_path, **spec), ignore)
    await run.result()
    await run.stop()
    (prompt,) = (path.read_text() for path in tmp_path.glob(".session-*"))
    assert ("Be brief." in prompt) is is_given
