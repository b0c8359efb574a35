"""A node fills its variables into the MCP servers of a run, and keeps their values out of logs."""

from pathlib import Path

import pytest

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.settings import RunnerSettings
from sidecar.fleet.equipment.node_attachments import NodeAttachments
from sidecar.fleet.equipment.node_equipment import NodeSecrets, node_equipment
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.equipment.servers import RemoteServer
from sidecar.subagents.permissions.question import Answer, Option, Question
from sidecar.subagents.runners.contract import RunnerUnavailable, RunResult
from sidecar.subagents.runners.remote.job import Job, literal_values
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import RUN

TICKETS = McpServerEntry(
    type="http", url="https://tickets.example.com/mcp", headers={"Authorization": "Bearer ${env:TICKETS}"}
)
YES = Option("yes", "Allow", "allow_once")


def equipped(entry: McpServerEntry, environment: dict[str, str]) -> Equipment:
    job = Job(
        task_id="1",
        runner_name="agent",
        runner=RunnerSettings(type="acp"),
        prompt="go",
        servers={"tickets": entry},
    )
    return node_equipment(job, environment, Path("/tree"), NodeAttachments(Path("/run")))


def test_a_log_has_no_value_of_the_node() -> None:
    equipment = equipped(TICKETS, {"TICKETS": "s3cret-value"})
    (server,) = equipment.servers
    assert isinstance(server, RemoteServer) and server.headers == {"Authorization": "Bearer s3cret-value"}
    secrets = NodeSecrets()
    secrets.use(equipment)
    log = {"type": "log", "stream": "stderr", "text": "sent s3cret-value\n"}
    assert [each["text"] for each in secrets.events(log)] == ["sent [secret]\n"]
    pieces = [{"type": "message", "role": "assistant", "text": text} for text in ("s3cret", "-value")]
    recorded = [each for piece in pieces for each in secrets.events(piece)] + [*secrets.last_events()]
    assert "".join(each["text"] for each in recorded) == "[secret]"


def test_no_line_of_a_run_has_a_value_of_the_node(world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(agent: ScriptedRun) -> RunResult:
        await agent.open()
        for text in ("sent s3c", "ret-", "value", "."):
            await agent.say(text)
        question = Question(request_id="1", title="curl s3cret-value", options=(YES,), command="s3cret-value")
        assert await agent.observer.ask(question) == Answer(YES)
        await agent.say("ends with s3cret-va")
        return RunResult("GOAL", "done: s3cret-value", {"key": "s3cret-value"}, None)

    async def main() -> None:
        here = world(script, server_entries={"tickets": TICKETS})
        run = await here.launch()
        await until(lambda: here.person.asked)
        assert here.person.asked == ["curl [secret]"]
        assert "s3cret-value" not in str((await here.link.request("find", 5, run=RUN))["open"])
        here.person.answers.put_nowait(Answer(YES))
        assert await run.result() == RunResult("GOAL", "done: [secret]", {"key": "[secret]"}, None)
        texts = [event["text"] for event in here.events if event["type"] == "message"]
        assert "".join(texts) == "sent [secret].ends with s3cret-va"

    monkeypatch.setenv("TICKETS", "s3cret-value")
    run_virtually(main)


def test_a_variable_that_is_missing_is_named_with_the_remedy() -> None:
    reason = r"'agent': mcpServers: tickets: the environment variable TICKETS .* where Ray is started"
    with pytest.raises(RunnerUnavailable, match=reason):
        equipped(TICKETS, {})


def test_values_without_a_variable_are_found() -> None:
    entry = McpServerEntry(command="docs", env={"A": "${env:A}", "B": "plain", "C": "x ${env:C}"})
    assert literal_values(entry) == ["B"] and literal_values(TICKETS) == []
