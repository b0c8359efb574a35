"""Real agents with the server in their configuration: they list it, and their model uses its tools."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.install.agents import NAME
from tests.e2e.conftest import RUNNERS, define
from tests.e2e.host.conftest import HostSetting, shared
from tests.e2e.real_agents import AGENTS, BIN, runners_in
from tests.model_server.orchestration import FIRST_RESULT, SECOND_RESULT
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]
__all__ = ["shared"]

Json = dict[str, Any]
PROMPT = "SCENARIO:orchestrate"
CLAUDE = "@anthropic-ai/claude-agent-sdk-linux-x64/claude"
"""The program in the SDK that `claude-agent-acp` uses."""
LIST = {
    "opencode": ["opencode", "mcp", "list"],
    "gemini": ["gemini", "mcp", "list"],
    "claude": [str(BIN.parent / CLAUDE), "mcp", "list"],
    "codex": ["codex", "mcp", "list"],
}
LISTED = {"codex": "enabled"}
"""What a list says of a server that works, if it is not "connected"."""
RUN = {
    "opencode": ["opencode", "run", "--format", "json", "--auto", PROMPT],
    "gemini": ["gemini", "-p", PROMPT, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    "claude": [LIST["claude"][0], "-p", PROMPT, "--permission-mode", "bypassPermissions"],
    "codex": [
        *("codex", "exec", "--skip-git-repo-check"),
        *("--dangerously-bypass-approvals-and-sandbox", PROMPT),
    ],
}
RUNNER = {"claude": "claude-agent-acp", "codex": "codex-acp"}
CONFIGURED = [name for name in RUN if RUNNER.get(name, name) in AGENTS]
TRUST = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}


class Agent:
    """One agent in a home of its own, with the server in its configuration."""

    def __init__(self, name: str, setting: HostSetting, model: ModelServer) -> None:
        self.name = name
        self._setting = setting
        self._env = {
            **setting.environment,
            **TRUST,
            **runners_in(setting.home, model.url)[RUNNER.get(name, name)]["env"],
        }

    async def install(self) -> None:
        options = ["--storage-root", str(self._setting.root), "--install", self.name, "--yes"]
        config = self._setting.home / "config" / "subagent-sidecar" / "config.toml"
        code, out = await self.run(sys.executable, "-m", "sidecar", "mcp", "--config", str(config), *options)
        assert code == 0, out

    async def run(self, *command: str) -> tuple[int, str]:
        """Run a command in the workspace; return its exit code and all it printed."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._setting.home / "workspace",
            env=self._env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(150):
            out, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode("utf-8", "replace")


@pytest.fixture(params=CONFIGURED)
async def agent(request: pytest.FixtureRequest, shared: HostSetting, model: ModelServer) -> Agent:
    define(shared.home, RUNNERS)
    agent = Agent(request.param, shared, model)
    await agent.install()
    return agent


async def test_the_agent_lists_the_server_as_connected(agent: Agent) -> None:
    code, out = await agent.run(*LIST[agent.name])
    assert code == 0, out
    (line,) = [each for each in out.splitlines() if NAME in each and "sidecar mcp" not in each] or [out]
    assert LISTED.get(agent.name, "onnected") in line, out


async def test_its_model_launches_subagents_gets_two_ends_reads_one_result_and_cancels_the_third(
    agent: Agent, shared: HostSetting, model: ModelServer, home: Path
) -> None:
    editor = await shared.attach(workspaceFolders=[str(home / "workspace")])
    code, out = await agent.run(*RUN[agent.name])
    assert code == 0, out
    assert "All done." in out, out
    tasks: list[Json] = (await editor.request("asyncTasks/list"))["items"]
    ends = sorted((task["subagentName"], task["status"], task["endReason"]) for task in tasks)
    completed = ("cat", "completed", "goal")
    assert ends == [completed, completed, ("wait", "cancelled", "cancelledByModel")]
    assert {task["owner"]["client"] for task in tasks} == {"mcp"}
    last = str(model.requests[-1][1])
    assert "System Note: Async Task Status" in last
    for result in (FIRST_RESULT, SECOND_RESULT):
        assert re.search(rf"final_message\W+{result}", last), last
    assert (await editor.request("reminders/next"))["taskIds"] == []
