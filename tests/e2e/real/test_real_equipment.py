"""What real agents get for a run: an MCP server, a model, a mode, an image. The model is pretended."""

import base64
import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, Sidecar, Start
from tests.e2e.real.real_agents import AGENTS, MODELS, settings_in
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Json = dict[str, Any]

SERVER = REPO / "tests" / "agents" / "mcp_server.py"
CHOSEN = {**MODELS, "claude-agent-acp": "haiku"}
"""The models that the definitions choose; codex offers only its own."""
NAMED = {"opencode": "fake-model", "claude-agent-acp": "haiku", "qwen": "fake-model"}
"""What names the model in a request; for gemini it is in the address."""
WORKING = {
    "opencode": "plan",
    "gemini": "yolo",
    "claude-agent-acp": "acceptEdits",
    "codex-acp": "agent",
    "qwen": "auto-edit",
}
"""A mode of each agent that is not the one in which it starts."""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def a_picture() -> str:
    """Return a red PNG of 8 by 8 pixels in Base64."""
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\xff\0\0" * 8 for _ in range(8))
    parts = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()


async def started(start: Start, home: Path, model: ModelServer, agent: str, *lines: str) -> Sidecar:
    """Start a sidecar with a definition `worker` for the agent, which may do everything."""
    path = home / "config" / "subagent-sidecar" / "agents" / "worker.md"
    chosen = [f"model: {CHOSEN[agent]}"] if CHOSEN[agent] else []
    head = ["---", "name: worker", "description: x.", f"runner: {agent}", *chosen, *lines, "---"]
    path.write_text("\n".join([*head, ""]))
    return await start(settings={"permissions": {"default": "allowAll"}, **settings_in(home, model.url)})


async def run(sidecar: Sidecar, goal: str, **more: Any) -> Json:
    """Launch the definition `worker` and return the ended task, which completed."""
    task_id = await sidecar.launch("worker", goal, **more)
    answer = await sidecar.client.request(
        "asyncTasks/wait", {"taskIds": [task_id], "timeoutSeconds": 300}, timeout=310
    )
    task: Json = answer["tasks"][0]
    assert task["status"] == "completed", json.dumps(task)
    return task


@pytest.mark.parametrize("agent", AGENTS)
async def test_its_model_calls_a_tool_of_a_server_of_the_definition(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    calls = home / "calls.json"
    lines = ["mcpServers:", "  docs:", f"    command: {sys.executable}", f"    args: ['{SERVER}', '{calls}']"]
    sidecar = await started(start, home, model, agent, *lines)
    task = await run(sidecar, "SCENARIO:served:docs>echo>seven lines")
    assert task["mcpServers"] == ["docs"]
    call = json.loads(calls.read_text())
    assert (call["name"], call["arguments"]) == ("echo", {"text": "seven lines"})
    # The last request may be a side call, such as for a title.
    assert any("echo: seven lines" in json.dumps(body) for _, body in model.requests)


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_server_that_does_not_start_is_named_on_the_run(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    lines = ["mcpServers:", "  docs:", f"    command: {sys.executable}", "    args: ['-c', 'exit(3)']"]
    sidecar = await started(start, home, model, agent, *lines)
    task = await run(sidecar, "SCENARIO:say:Hello.")
    (unmet,) = task["progress"]["unmet"]
    assert (unmet["kind"], unmet["wanted"]) == ("mcpServer", "docs")
    assert task["progress"]["toolCalls"] == 0


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_server_that_fails_to_list_its_tools_is_named_on_the_run(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    arguments = f"    args: ['{SERVER}', refuse, tools/list]"
    lines = ["mcpServers:", "  docs:", f"    command: {sys.executable}", arguments]
    sidecar = await started(start, home, model, agent, *lines)
    task = await run(sidecar, "SCENARIO:say:Hello.")
    (unmet,) = task["progress"]["unmet"]
    assert (unmet["kind"], unmet["wanted"]) == ("mcpServer", "docs")
    if agent == "opencode":
        assert unmet["reason"] == "Failed to get tools"


@pytest.mark.parametrize("method", ["initialize", "tools/list"])
@pytest.mark.parametrize(
    "agent", [name for name in AGENTS if name != "gemini"]
)  # gemini waits until its limit
async def test_servers_that_never_answer_or_do_not_start_are_all_named_on_a_short_run(
    start: Start, home: Path, model: ModelServer, agent: str, method: str
) -> None:
    lines = ["mcpServers:", "  docs:", f"    command: {sys.executable}", "    args: ['-c', 'exit(3)']"]
    lines += ["  deaf:", f"    command: {sys.executable}", f"    args: ['{SERVER}', ignore, '{method}']"]
    sidecar = await started(start, home, model, agent, *lines)
    task = await run(sidecar, "SCENARIO:say:Hello.")
    assert sorted(each["wanted"] for each in task["progress"]["unmet"]) == ["deaf", "docs"]


@pytest.mark.parametrize("agent", [name for name in AGENTS if CHOSEN[name]])
async def test_the_model_of_the_definition_is_asked(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    sidecar = await started(start, home, model, agent)
    task = await run(sidecar, "SCENARIO:say:Hello.")
    named = NAMED.get(agent, str(CHOSEN[agent]))
    path, body = model.requests[-1]
    assert named in (body["model"] if agent in NAMED else path)
    # claude reports the model that answered, and the pretended one calls itself otherwise.
    assert agent == "claude-agent-acp" or named in task["model"]


@pytest.mark.parametrize("agent", AGENTS)
async def test_the_mode_of_the_definition_is_in_force(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    sidecar = await started(start, home, model, agent, f"mode: {WORKING[agent]}")
    assert (await run(sidecar, "SCENARIO:say:Hello."))["mode"] == WORKING[agent]


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_image_reaches_the_model(start: Start, home: Path, model: ModelServer, agent: str) -> None:
    picture = a_picture()
    sidecar = await started(start, home, model, agent)
    more = {"model": "qwen3-vl-plus"} if agent == "qwen" else {}  # it sends images by the name of the model
    attachments = [{"data": picture, "mimeType": "image/png"}]
    await run(sidecar, "SCENARIO:say:Red.", attachments=attachments, **more)
    sent = [json.dumps(body) for _, body in model.requests if "SCENARIO:say:Red." in json.dumps(body)]
    assert sent
    assert any(picture in body for body in sent), sent[-1][:2000]


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_image_and_a_file_by_their_paths_both_reach_the_model(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    picture = a_picture()
    (home / "workspace" / "shot.png").write_bytes(base64.b64decode(picture))
    (home / "workspace" / "notes.txt").write_text("seven lines")
    sidecar = await started(start, home, model, agent)
    more = {"model": "qwen3-vl-plus"} if agent == "qwen" else {}
    await run(sidecar, "SCENARIO:say:Red.", attachments=[{"path": "shot.png"}, {"path": "notes.txt"}], **more)
    sent = [json.dumps(body) for _, body in model.requests if "SCENARIO:say:Red." in json.dumps(body)]
    assert any(picture in body and "notes.txt" in body for body in sent), sent[-1][:2000]
