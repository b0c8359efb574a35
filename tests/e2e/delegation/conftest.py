"""A scripted agent with the sidecar's tools, as a run of a shared Host."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, RUNNERS, Sidecar, define
from tests.e2e.host.conftest import HostSetting, shared
from tests.e2e.mcp.conftest import mcp

__all__ = ["HELD", "Delegating", "call", "mcp", "shared", "task"]
Json = dict[str, Any]
SCRIPTED: Json = {"type": "acp", "command": [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]}


def call(tool: str, **arguments: Any) -> str:
    """Return the step with which the scripted agent calls a tool."""
    return f"call {tool} {shlex.quote(json.dumps(arguments))}"


def task(name: str, goal: str, **more: Any) -> str:
    """Return the step that launches a subagent in the background."""
    return call("task", subagent_name=name, goal_prompt=goal, **{"async": True, **more})


HELD = 'while [ ! -e go ]; do sleep 0.02; done; printf "the result"'
"""The goal of a run of `events` that ends once `Delegating.release` was called."""


class Delegating:
    """A shared Host with definitions that delegate."""

    def __init__(self, setting: HostSetting) -> None:
        self.setting = setting
        self.agents = define(setting.home, RUNNERS)

    def define(self, name: str, *lines: str, runner: str = "scripted", body: str = "") -> None:
        """Write a definition; `lines` are more of its front matter."""
        head = ["---", f"name: {name}", "description: x.", f"runner: {runner}", *lines, "---"]
        text = "\n".join([*head, body, ""])
        (self.agents / f"{name}.md").write_text(text)

    async def attach(self, **settings: Json) -> Sidecar:
        """Start the Host with these settings, and attach an editor."""
        tasks = {"maxDepth": 3, **settings.pop("asyncTasks", {})}
        permissions = {"default": "allowAll", **settings.pop("permissions", {})}
        self.setting.configure(
            asyncTasks=tasks, permissions=permissions, **{"runners.scripted": SCRIPTED}, **settings
        )
        workspace = str(self.setting.home / "workspace")
        return await self.setting.attach(workspaceFolders=[workspace], workspaceTrusted=True)

    async def tasks(self, editor: Sidecar) -> list[Json]:
        """Return all runs, the newest first."""
        items: list[Json] = (await editor.request("asyncTasks/list"))["items"]
        return items

    async def run(self, editor: Sidecar, name: str, *steps: str) -> tuple[Json, list[Json]]:
        """Launch a run with these steps, and wait; return it and all other runs, the oldest first."""
        task_id = await editor.launch(name, "\n".join(steps))
        (ended,) = await editor.ended(task_id)
        others = [each for each in await self.tasks(editor) if each["id"] != task_id]
        return ended, others[::-1]

    async def until_printed(self, editor: Sidecar, task_id: str, text: str) -> None:
        """Wait until a run has printed a text."""
        await editor.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
        await editor.until(lambda: text in editor.text(task_id))

    async def serve_with(self, env: Json) -> tuple[int, str, str]:
        """Run the MCP server with more variables and no input; return its exit code, stdout and stderr."""
        before, self.setting.environment = self.setting.environment, {**self.setting.environment, **env}
        try:
            return await self.setting.command("mcp")
        finally:
            self.setting.environment = before

    def release(self) -> None:
        """Let the runs with the goal `HELD` end."""
        Path(self.setting.home / "workspace" / "go").touch()


@pytest.fixture
def delegating(shared: HostSetting) -> Delegating:
    found = Delegating(shared)
    found.define("lead", "mcpServers: [sidecar]")
    found.define("plain")
    return found
