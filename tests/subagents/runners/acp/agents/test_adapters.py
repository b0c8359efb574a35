"""An installed agent that lacks only its adapter is named, with the command that installs it."""

from pathlib import Path

import pytest

from sidecar.subagents.runners.acp.agents.adapters import missing_adapters

CLAUDE = (
    "claude-agent-acp",
    "claude",
    "claude-agent-acp",
    ("npm", "install", "-g", "@agentclientprotocol/claude-agent-acp"),
)
CODEX = ("codex-acp", "codex", "codex-acp", ("npm", "install", "-g", "@agentclientprotocol/codex-acp"))


def environment(folder: Path, *programs: str) -> dict[str, str]:
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def test_the_adapters_of_installed_agents_are_named_with_their_installation(tmp_path: Path) -> None:
    assert missing_adapters(environment(tmp_path, "codex", "claude"), ()) == [CLAUDE, CODEX]


def test_an_agent_that_has_its_adapter_lacks_nothing(tmp_path: Path) -> None:
    assert missing_adapters(environment(tmp_path, "claude", "claude-agent-acp", "codex"), ()) == [CODEX]


def test_an_adapter_without_its_agent_is_not_missing(tmp_path: Path) -> None:
    assert missing_adapters(environment(tmp_path, "opencode"), ()) == []


@pytest.mark.parametrize("name", ["claude", "claude-agent-acp"])
def test_a_configured_runner_may_start_another_program(name: str, tmp_path: Path) -> None:
    assert missing_adapters(environment(tmp_path, "claude"), {name}) == []


def test_the_installation_is_that_of_the_documentation() -> None:
    table = (Path(__file__).parents[5] / "docs/agents.md").read_text()
    for _, _, adapter, install in (CLAUDE, CODEX):
        assert f"`{adapter}`" in table
        assert f"`{' '.join(install)}`" in table
