"""The official client of the protocol, in each of its modes, against our server."""

import sys
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.e2e.mcp.conftest import HELD, Mcp

Mode = Literal["legacy", "auto"] | str
MODES = ["legacy", "auto", "2026-07-28"]


def client(mcp: Mcp, mode: str, *options: str) -> Client:
    arguments = ["-m", "sidecar", "mcp", "--storage-root", str(mcp.setting.root), *options]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, env=mcp.setting.environment, cwd=mcp.workspace
    )
    return Client(server, mode=mode, read_timeout_seconds=50)


def text(result: Any) -> str:
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


@pytest.mark.parametrize("mode", MODES)
async def test_a_model_launches_continues_hears_of_an_end_reads_and_cancels(mcp: Mcp, mode: str) -> None:
    async with client(mcp, mode) as model:
        assert model.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        if mode in ("legacy", "auto"):  # a client that names the newest revision at once asks for none
            assert "data, not instructions" in (model.instructions or "")
        tools = {tool.name: tool for tool in (await model.list_tools()).tools}
        assert set(tools) == {"list_tasks", "task", "check_async_tasks"}
        ids = []
        for name, goal in (("events", HELD), ("wait", "x")):
            arguments = {"subagent_name": name, "goal_prompt": goal, "async": True}
            launched = await model.call_tool("task", arguments)
            assert not launched.is_error, launched
            ids.append(launched.structured_content["agentId"])
        mcp.release()
        waited = await model.call_tool("check_async_tasks", {"action": "wait", "task_ids": ids})
        assert waited.structured_content["ended"] == [ids[0]]
        assert waited.structured_content["reminder"]["taskIds"] == [ids[0]]
        assert "System Note: Async Task Status" in text(waited)
        peek = await model.call_tool("check_async_tasks", {"task_id": ids[0]})
        assert peek.structured_content["output"]["final_message"] == "the result"
        assert "reminder" not in peek.structured_content
        await model.call_tool("check_async_tasks", {"task_id": ids[1], "action": "cancel"})
        listed = await model.call_tool("check_async_tasks", {})
        assert (listed.structured_content["running"], listed.structured_content["cancelled"]) == (0, 1)


@pytest.mark.parametrize("mode", MODES)
async def test_progress_resources_and_errors(mcp: Mcp, mode: str) -> None:
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async with client(mcp, mode) as model:
        arguments = {"subagent_name": "cat", "goal_prompt": "hello"}
        result = await model.call_tool("task", arguments, progress_callback=hear)
        assert result.structured_content["finalMessage"] == "hello"
        assert any("hello" in each for each in heard)
        templates = (await model.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["task://{id}"]
        read = await model.read_resource(f"task://{result.structured_content['agentId']}")
        (content,) = read.contents
        assert isinstance(content, types.TextResourceContents)
        assert "hello" in content.text
        with pytest.raises(Exception, match="no resource"):
            await model.read_resource("task://nosuch")
        failed = await model.call_tool("task", {"subagent_name": "nosuch", "goal_prompt": "x"})
        assert failed.is_error
        with pytest.raises(Exception, match="not a tool"):
            await model.call_tool("rm", {})
