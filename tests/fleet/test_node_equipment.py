"""A node fills its variables into the MCP servers of a run, and keeps their values out of logs."""

import pytest

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.settings import RunnerSettings
from sidecar.fleet.node_equipment import node_equipment, without_secrets
from sidecar.subagents.equipment.servers import RemoteServer
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.job import Job, literal_values

TICKETS = McpServerEntry(
    type="http", url="https://tickets.example.com/mcp", headers={"Authorization": "Bearer ${env:TICKETS}"}
)


def job(entry: McpServerEntry) -> Job:
    settings = RunnerSettings(type="acp")
    return Job(task_id="1", runner_name="agent", runner=settings, prompt="go", servers={"tickets": entry})


def test_a_log_has_no_value_of_the_node() -> None:
    equipment = node_equipment(job(TICKETS), {"TICKETS": "s3cret-value"})
    (server,) = equipment.servers
    assert isinstance(server, RemoteServer) and server.headers == {"Authorization": "Bearer s3cret-value"}
    log = {"type": "log", "stream": "stderr", "text": "sent s3cret-value\n"}
    assert without_secrets(log, equipment)["text"] == "sent [secret]\n"
    message = {"type": "message", "text": "s3cret-value"}
    assert without_secrets(message, equipment) == {"type": "message", "text": "[secret]"}


def test_a_variable_that_is_missing_is_named_with_the_remedy() -> None:
    reason = r"'agent': mcpServers: tickets: the environment variable TICKETS .* where Ray is started"
    with pytest.raises(RunnerUnavailable, match=reason):
        node_equipment(job(TICKETS), {})


def test_values_without_a_variable_are_found() -> None:
    entry = McpServerEntry(command="docs", env={"A": "${env:A}", "B": "plain", "C": "x ${env:C}"})
    assert literal_values(entry) == ["B"] and literal_values(TICKETS) == []
