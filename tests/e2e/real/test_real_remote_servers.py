"""MCP servers at an address, with real agents: their tools are called, and what does not work is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.remote_server import REFUSED, RemoteServer, Transport
from tests.e2e.conftest import Start
from tests.e2e.real.real_agents import AGENTS, settings_in
from tests.e2e.real.test_real_equipment import run, started
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Json = dict[str, Any]

KEY = "a-key-of-tickets"
GOAL = "SCENARIO:served:tickets>echo>seven lines"


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "TICKETS_KEY": KEY}


def entry(transport: Transport, url: str, variable: str = "${env:TICKETS_KEY}") -> Json:
    return {"type": transport, "url": url, "headers": {"Authorization": f"Bearer {variable}"}}


def front_matter(entry: Json) -> list[str]:
    return [f"mcpServers: {json.dumps({'tickets': entry})}"]


@pytest.mark.parametrize("transport", ["http", "sse"])
@pytest.mark.parametrize("agent", AGENTS)
async def test_its_model_calls_a_tool_of_a_server_at_an_address_with_a_key(
    start: Start, home: Path, model: ModelServer, agent: str, transport: Transport
) -> None:
    with RemoteServer.running(transport, KEY) as server:
        sidecar = await started(start, home, model, agent, *front_matter(entry(transport, server.url)))
        if (agent, transport) == ("codex-acp", "sse"):
            (task,) = await sidecar.ended(await sidecar.launch("worker", GOAL))
            assert "tickets" in task["error"]
            return
        task = await run(sidecar, GOAL)
        assert server.end() == ["seven lines"]
    assert task["mcpServers"] == ["tickets"]
    assert "unmet" not in task["progress"]
    assert any("echo: seven lines" in json.dumps(body) for _, body in model.requests)
    assert KEY not in json.dumps(await sidecar.request("asyncTasks/events", taskId=task["id"], limit=5000))


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_server_that_refuses_the_key_is_named_on_the_run(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    with RemoteServer.running("http", "another") as server:
        sidecar = await started(start, home, model, agent, *front_matter(entry("http", server.url)))
        task = await run(sidecar, "SCENARIO:say:Hello.")
        assert REFUSED in server.end()
    (unmet,) = task["progress"]["unmet"]
    assert (unmet["kind"], unmet["wanted"]) == ("mcpServer", "tickets")


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_workspaces_file_and_the_settings_bring_servers_at_addresses(
    start: Start, home: Path, model: ModelServer, agent: str
) -> None:
    with RemoteServer.running("http", KEY) as server, RemoteServer.running("http", KEY) as other:
        brought = {"tickets": entry("http", server.url, "${TICKETS_KEY}")}
        (home / "workspace" / ".mcp.json").write_text(json.dumps({"mcpServers": brought}))
        (home / "config" / "subagent-sidecar" / "agents" / "worker.md").write_text(
            f"---\nname: worker\ndescription: x.\nrunner: {agent}\n---\n"
        )
        settings = {
            "permissions": {"default": "allowAll"},
            "agents": {"workspaceMcpServers": True},
            "mcpServers": {"wiki": entry("http", other.url)},
        }
        sidecar = await start(settings={**settings, **settings_in(home, model.url)})
        assert sorted((await run(sidecar, GOAL))["mcpServers"]) == ["tickets", "wiki"]
        await run(sidecar, GOAL.replace("tickets", "wiki"))
        assert (server.end(), other.end()) == (["seven lines"], ["seven lines"])
