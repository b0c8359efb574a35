"""Real agents that have the sidecar's server in their own configuration, each in a home of its own."""

import asyncio
import os
import sys
from typing import Any

import psutil
import pytest

from sidecar.cli.install.agents import NAME
from tests.e2e.conftest import RUNNERS, define
from tests.e2e.host.conftest import HostSetting
from tests.e2e.real.real_agents import AGENTS, BIN, SECONDS, runners_in
from tests.model_server.server import ModelServer

Json = dict[str, Any]
_CLAUDE = "@anthropic-ai/claude-agent-sdk-linux-x64/claude"
"""The program in the SDK that `claude-agent-acp` uses."""
_RUNNER = {"claude": "claude-agent-acp", "codex": "codex-acp"}
_PROGRAM = {"claude": str(BIN.parent / _CLAUDE)}
_PROMPTED = {
    "opencode": ["run", "--format", "json", "--auto"],
    "gemini": ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
    "claude": ["--permission-mode", "bypassPermissions", "-p"],
    "codex": ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
}
_LISTED = {"codex": "enabled"}
"""What a list says of a server that works, if it is not "connected"."""
_TRUST = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}
_GATED = {"type": "command", "command": ["sh", "-c", "until [ -e .gate ]; do sleep 0.1; done; cat"]}
CONFIGURED = [name for name in _PROMPTED if _RUNNER.get(name, name) in AGENTS]


class ConfiguredAgent:
    """One agent in a home of its own, with the server in its configuration."""

    def __init__(self, name: str, setting: HostSetting, model: ModelServer) -> None:
        self._name = name
        self._setting = setting
        self._env = {
            **setting.environment,
            **_TRUST,
            "PWD": str(setting.home / "workspace"),  # what opencode works in
            **runners_in(setting.home, model.url)[_RUNNER.get(name, name)]["env"],
        }

    async def install(self) -> None:
        """Write the server into the agent's configuration, as its user does."""
        options = ["--storage-root", str(self._setting.root), "--install", self._name, "--yes"]
        config = self._setting.home / "config" / "subagent-sidecar" / "config.toml"
        code, out = await self._run(sys.executable, "-m", "sidecar", "mcp", "--config", str(config), *options)
        assert code == 0, out

    async def listed(self) -> str:
        """Return what the agent's list of servers says of ours."""
        code, out = await self._run(self._program, "mcp", "list")
        assert code == 0, out
        (line,) = [each for each in out.splitlines() if NAME in each and "sidecar mcp" not in each] or [out]
        return line

    @property
    def listed_as(self) -> str:
        """What its list says of a server that works."""
        return _LISTED.get(self._name, "onnected")

    async def prompt(self, text: str) -> tuple[int, str]:
        """Run the agent with one prompt; return its exit code and all it printed."""
        return await self._run(self._program, *_PROMPTED[self._name], text)

    def open_gate(self) -> None:
        """Let the runs of `gated` end."""
        (self._setting.home / "workspace" / ".gate").touch()

    def kill(self) -> None:
        """Kill the process that started the server, so that the agent does nothing more."""
        (server,) = [
            process
            for process in psutil.process_iter(["cmdline"])
            if "mcp" in (line := process.info["cmdline"] or []) and str(self._setting.root) in line
        ]
        agent = server.parent()
        assert agent is not None
        assert agent.pid != os.getpid()
        agent.kill()

    @property
    def _program(self) -> str:
        return _PROGRAM.get(self._name, self._name)

    async def _run(self, *command: str) -> tuple[int, str]:
        """Run a command in the workspace; return its exit code and all it printed."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._setting.home / "workspace",
            env=self._env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(SECONDS):
                out, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode is not None
        return process.returncode, out.decode("utf-8", "replace")


@pytest.fixture(params=CONFIGURED)
async def agent(request: pytest.FixtureRequest, shared: HostSetting, model: ModelServer) -> ConfiguredAgent:
    """An agent whose configuration has the server."""
    define(shared.home, [*RUNNERS, "gated"])
    shared.configure(host={"idleSeconds": 0.2}, **{"runners.gated": _GATED})
    agent = ConfiguredAgent(request.param, shared, model)
    await agent.install()
    return agent
