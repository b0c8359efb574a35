"""Agents that speak the protocol only through an adapter, which is a program of its own."""

import shutil
from collections.abc import Container, Mapping
from typing import NamedTuple

from sidecar.subagents.runners.acp.agents.profiles import ALIASES, PROFILES


class MissingProgram(NamedTuple):
    """An adapter that is not installed, though the agent's own program is."""

    runner: str
    program: str
    adapter: str
    install: tuple[str, ...]


_PROGRAMS = {"claude-agent-acp": "claude", "codex-acp": "codex"}
"""The agents' own programs, by the names of the runners."""
_PACKAGES = {
    "claude-agent-acp": "@agentclientprotocol/claude-agent-acp",
    "codex-acp": "@agentclientprotocol/codex-acp",
}


def missing_adapters(environment: Mapping[str, str], configured: Container[str]) -> list[MissingProgram]:
    """Return the adapters that are missing for the agents on the PATH, in the order of `auto`.

    A runner that is `configured`, by its own name or its short one, may start another program.
    """
    path = environment.get("PATH")
    others = {name: alias for alias, name in ALIASES.items()}
    missing = []
    for runner, program in _PROGRAMS.items():
        adapter = PROFILES[runner].command[0]
        if runner in configured or others.get(runner) in configured:
            continue
        if shutil.which(program, path=path) and not shutil.which(adapter, path=path):
            install = ("npm", "install", "-g", _PACKAGES[runner])
            missing.append(MissingProgram(runner, program, adapter, install))
    return missing
