"""Agents of the registry's snapshot are found, and start only where they do not have to ask."""

import sys
from pathlib import Path

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp.agents.catalog import registry, unverified_agents
from sidecar.subagents.runners.acp.agents.extras import GuardedRun
from sidecar.subagents.runners.acp.agents.profiles import PROFILES, found_profiles, is_verified
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec


def test_the_snapshot_holds_the_commands_of_well_known_agents() -> None:
    found = registry()
    assert {"auggie", "codex-acp", "gemini", "github-copilot", "opencode", "qwen-code"} <= found.keys()
    assert found["auggie"].command == ("auggie", "--acp")
    assert found["factory-droid"].env["DROID_DISABLE_AUTO_UPDATE"] == "true"


@pytest.mark.parametrize(
    "name", ["copilot", "cline", "pi", "auggie", "kimi", "droid", "mistral-vibe", "qoder"]
)
def test_an_agent_on_the_path_is_found_by_its_profile(name: str, tmp_path: Path) -> None:
    program = tmp_path / PROFILES[name].command[0]
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert found_profiles({"PATH": str(tmp_path)}) == [name]


@pytest.mark.parametrize("name", unverified_agents())
def test_an_agent_that_is_not_known_to_ask_starts_only_where_it_does_not_have_to(
    name: str, tmp_path: Path
) -> None:
    assert not is_verified(name)
    with pytest.raises(ValueError, match="does not know how to make this agent ask"):
        PROFILES[name].guard(GuardedRun(tmp_path))
    assert PROFILES[name].guard(GuardedRun(tmp_path, must_ask=False)).args == ()


async def test_the_refusal_names_the_runner_and_the_remedy(tmp_path: Path) -> None:
    program = tmp_path / "copilot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    runner = AcpRunner("copilot", RunnerSettings(type="acp"), environment={"PATH": str(tmp_path)})

    async def ignore(_: object) -> None: ...

    with pytest.raises(RunnerUnavailable, match=r"runner 'copilot'.*permissions: allowAll"):
        await runner.start(RunSpec("1", "x", tmp_path), ignore)


def test_a_command_of_the_user_is_not_that_of_an_unverified_agent() -> None:
    runner = AcpRunner("copilot", RunnerSettings(type="acp", command=[sys.executable]))
    runner.check()
