"""Definitions on disk through a sidecar: whose, which one wins, what is wrong with them, and what changes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Sidecar, Start

FOLDERS = {
    "workspace/.sidecar/agents": ".md",
    "workspace/.claude/agents": ".md",
    "workspace/.github/agents": ".agent.md",
    "workspace/.gemini/agents": ".md",
    "workspace/.codex/agents": ".toml",
    "workspace/.cursor/agents": ".md",
    "config/subagent-sidecar/agents": ".md",
    ".claude/agents": ".md",
    ".copilot/agents": ".agent.md",
    ".gemini/agents": ".md",
    ".codex/agents": ".toml",
    ".cursor/agents": ".md",
    ".llxprt/subagents": ".json",
}
"""Every place below the home of a test, in order of precedence."""


def write(folder: Path, suffix: str, name: str) -> str:
    text = {
        ".toml": f'name = "{name}"\ndescription = "d"\ndeveloper_instructions = "p"\n',
        ".json": f'{{"name": "{name}", "systemPrompt": "p"}}',
    }.get(suffix, f"---\nname: {name}\ndescription: d\n---\np\n")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{suffix}"
    path.write_text(text)
    return str(path)


def everywhere(home: Path) -> list[str]:
    return [write(home / folder, suffix, "same") for folder, suffix in FOLDERS.items()]


async def listed(sidecar: Sidecar, name: str = "same") -> list[dict[str, Any]]:
    items = (await sidecar.request("subagents/list"))["items"]
    return [item for item in items if item["name"] == name]


async def test_the_definitions_of_all_tools_come_in_order_of_precedence(start: Start, home: Path) -> None:
    paths = everywhere(home)
    items = await listed(await start())
    assert [item["source"]["path"] for item in items] == paths
    assert [item.get("shadowedBy") for item in items] == [None, *paths[:1] * (len(paths) - 1)]
    assert [item["source"]["level"] for item in items] == ["workspace"] * 6 + ["user"] * 7
    formats = [item["source"].get("format") for item in items]
    assert formats[:6] == [None, "claude", "copilot", "gemini", "codex", "cursor"]
    assert formats[6:] == [None, "claude", "copilot", "gemini", "codex", "cursor", "llxprt"]


async def test_the_folder_of_a_tool_is_where_its_variable_says(
    start: Start, home: Path, environment: dict[str, str]
) -> None:
    write(home / ".claude" / "agents", ".md", "same")
    path = write(home / "moved" / "agents", ".md", "same")
    environment["CLAUDE_CONFIG_DIR"] = str(home / "moved")
    (item,) = await listed(await start())
    assert (item["source"]["path"], item["source"]["format"]) == (path, "claude")


async def test_those_of_a_workspace_wait_for_trust(start: Start, home: Path) -> None:
    paths = everywhere(home)
    sidecar = await start(workspaceTrusted=False)
    assert [item["source"]["path"] for item in await listed(sidecar)] == paths[6:]
    await sidecar.client.notify("workspace/didGrantTrust", {})
    assert [item["source"]["path"] for item in await listed(sidecar)] == paths


async def test_a_definition_of_another_tool_runs(start: Start, home: Path) -> None:
    write(home / "workspace" / ".codex" / "agents", ".toml", "explorer")
    sidecar = await start()
    await sidecar.request("settings/update", settings={"defaultRunner": "cat"})
    (task,) = await sidecar.ended(await sidecar.launch("explorer", "look"))
    assert (task["status"], task["output"]["final_message"]) == ("completed", "p\n\nlook")


async def test_errors_are_named_with_file_and_line(start: Start, home: Path) -> None:
    folder = home / "workspace" / ".gemini" / "agents"
    write(folder, ".md", "sound")
    (folder / "far.md").write_text("---\nname: far\nkind: remote\n---\n")
    sidecar = await start()
    for answer in (
        await sidecar.request("subagents/validate"),
        await sidecar.request("subagents/validate", paths=[str(home / "workspace")]),
        await sidecar.request("subagents/validate", paths=[str(folder / "far.md")]),
    ):
        (problem,) = answer["problems"]
        assert (problem["path"], problem["line"]) == (str(folder / "far.md"), 3)
    with pytest.raises(RpcError, match=r"paths: 'far\.md' is not an absolute path"):
        await sidecar.request("subagents/validate", paths=["far.md"])


async def test_changes_are_reported_as_they_happen(start: Start, home: Path) -> None:
    sidecar = await start(initialize=False)
    revisions: asyncio.Queue[int] = asyncio.Queue()
    sidecar.client.on_notification(
        "subagents/didChange", lambda params: revisions.put_nowait(params["revision"])
    )
    await sidecar.initialize()
    assert await listed(sidecar) == []
    folder = home / "workspace" / ".cursor" / "agents"
    seen = []
    for suffix in (".md", ".toml", ".md"):  # one that appears, one that is none, one that is changed
        write(folder, suffix, "same")
        if suffix == ".md":
            async with asyncio.timeout(10):
                seen.append(await revisions.get())
        assert len(await listed(sidecar)) == 1
    assert seen == sorted(set(seen))
