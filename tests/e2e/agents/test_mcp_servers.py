"""MCP servers for agents: from a definition, the settings and a workspace, filled in, refused by name."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.agents.equipped import define, equipped, received, run
from tests.e2e.conftest import REPO, Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

DOCS = ["mcpServers:", "  docs:", f"    command: {sys.executable}", "    args: [-m, docs]"]
SECRET = "s3cret-value-of-the-test"


@pytest.fixture(autouse=True)
def secret(environment: dict[str, str]) -> None:
    environment["DOCS_TOKEN"] = SECRET


async def test_a_definition_gives_its_agent_a_server_with_filled_in_variables(
    start: Start, home: Path
) -> None:
    define(home, *DOCS, "    env: {TOKEN: '${env:DOCS_TOKEN}', PLAIN: x}")
    sidecar = await start(settings={"runners": {"agent": equipped(stderr="token is $TOKEN")}})
    task = await run(sidecar)
    assert (task["status"], task["mcpServers"]) == ("completed", ["docs"])
    ((server,),) = (each["mcpServers"] for each in received(sidecar, "session/new"))
    assert (server["name"], server["command"], server["args"]) == ("docs", sys.executable, ["-m", "docs"])
    assert server["env"] == [{"name": "TOKEN", "value": SECRET}, {"name": "PLAIN", "value": "x"}]
    events = (await sidecar.request("asyncTasks/events", taskId=task["id"]))["events"]
    assert [event["text"] for event in events if event["type"] == "log"] == ["token is [secret]\n"]


async def test_no_file_of_the_root_contains_a_value_that_was_filled_in(start: Start, home: Path) -> None:
    define(home, *DOCS, "    env: {TOKEN: '${env:DOCS_TOKEN}'}")
    sidecar = await start(settings={"runners": {"agent": equipped(stderr="token is $TOKEN")}})
    await run(sidecar)
    await sidecar.shut_down()
    files = [path.read_bytes() for path in sidecar.root.rglob("*") if path.is_file()]
    assert any(b"token is [secret]" in data for data in files)
    assert not any(SECRET.encode() in data for data in files)


async def test_a_variable_that_is_not_set_fails_the_launch_and_is_named(start: Start, home: Path) -> None:
    define(home, *DOCS, "    env: {TOKEN: '${env:NO_SUCH}', OTHER: '${env:NONE_EITHER}'}")
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    with pytest.raises(
        RpcError, match="mcpServers: docs: the environment variables NO_SUCH, NONE_EITHER"
    ) as error:
        await sidecar.launch("worker")
    assert error.value.code == -32014


@pytest.mark.parametrize("kind", ["http", "sse"])
@pytest.mark.parametrize("can", [True, False])
async def test_an_address_is_given_only_to_an_agent_that_supports_its_type(
    start: Start, home: Path, kind: str, can: bool
) -> None:
    header = "{Authorization: '${env:DOCS_TOKEN}'}"
    entry = f"{{type: {kind}, url: 'https://example.com/mcp', headers: {header}}}"
    define(home, f"mcpServers: {{web: {entry}}}")
    agent = equipped(capabilities={"mcpCapabilities": {kind: can}})
    sidecar = await start(settings={"runners": {"agent": agent}})
    task = await run(sidecar)
    if not can:
        assert task["status"] == "failed"
        assert f"mcpServers: web: the agent does not support servers of type {kind}" in task["error"]
        return
    assert task["status"] == "completed"
    (session,) = received(sidecar, "session/new")
    headers = [{"name": "Authorization", "value": SECRET}]
    web = {"type": kind, "name": "web", "url": "https://example.com/mcp", "headers": headers}
    assert session["mcpServers"] == [web]


async def test_a_program_that_is_not_installed_fails_by_the_name_of_its_server(
    start: Start, home: Path
) -> None:
    define(home, "mcpServers: {docs: {command: no-such-program}}")
    task = await run(await start(settings={"runners": {"agent": equipped()}}))
    assert task["status"] == "failed"
    assert "mcpServers: docs: its program 'no-such-program' is not found" in task["error"]


async def test_a_server_that_the_agent_could_not_start_is_named_on_the_run(start: Start, home: Path) -> None:
    define(home, *DOCS, "  spare:", "    command: sh")
    line = "Warning: MCP server(s) failed to start: docs, theirs. Continuing with built-in tools."
    sidecar = await start(settings={"runners": {"agent": equipped(stderr=line)}})
    task = await run(sidecar)
    assert task["progress"]["unmet"] == [{"kind": "mcpServer", "wanted": "docs"}]
    shown = [change for change in sidecar.changes if "unmet" in change["progress"]]
    assert shown[0]["status"] == "running"
    events = (await sidecar.request("asyncTasks/events", taskId=task["id"]))["events"]
    (notice,) = [event for event in events if event.get("stream") == "agent"]
    assert notice["text"] == "The MCP server docs does not work\n"


def as_opencode(home: Path, states: Json | None) -> Json:
    """Return the setting of a runner whose program is called opencode and has a server with these states."""
    program = home / "bin" / "opencode"
    program.parent.mkdir()
    lines = [f"#!{sys.executable}", "import sys", f"sys.path.insert(0, {str(REPO)!r})"]
    lines += ["from tests.agents.own_server import serve", f"serve({states!r}, {str(home / 'ports')!r})"]
    program.write_text("\n".join(lines))
    program.chmod(0o755)
    return {"type": "acp", "env": {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}}


async def test_a_server_of_which_opencode_logs_nothing_is_named_with_its_error(
    start: Start, home: Path
) -> None:
    path = define(home, *DOCS)
    path.write_text(path.read_text().replace("runner: agent", "runner: opencode"))
    states = {"docs": {"status": "failed", "error": "Failed to get tools"}, "theirs": {"status": "failed"}}
    task = await run(await start(settings={"runners": {"opencode": as_opencode(home, states)}}))
    assert task["progress"]["unmet"] == [
        {"kind": "mcpServer", "wanted": "docs", "reason": "Failed to get tools"}
    ]


async def test_opencode_starts_again_with_another_port_if_another_program_took_it(
    start: Start, home: Path
) -> None:
    path = define(home, *DOCS)
    path.write_text(path.read_text().replace("runner: agent", "runner: opencode"))
    task = await run(await start(settings={"runners": {"opencode": as_opencode(home, None)}}), "hello")
    assert "hello" in task["output"]["final_message"]
    first, second = (home / "ports").read_text().split()
    assert first != second


SETTINGS: Json = {"mcpServers": {"own": {"command": sys.executable}, "spare": {"command": "sh"}}}


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ([], ["own", "spare"]),
        (["mcpServers: [own]"], ["own"]),
        (["mcpServers: []"], None),
        ([*DOCS], ["own", "spare", "docs"]),
    ],
)
async def test_a_list_selects_among_the_servers_of_the_settings_and_a_table_adds_to_them(
    start: Start, home: Path, lines: list[str], names: list[str] | None
) -> None:
    define(home, *lines)
    sidecar = await start(settings={"runners": {"agent": equipped()}, **SETTINGS})
    assert (await run(sidecar)).get("mcpServers") == names
    (session,) = received(sidecar, "session/new")
    assert [server["name"] for server in session["mcpServers"]] == (names or [])


async def test_a_server_that_nothing_describes_is_named_with_those_that_exist(
    start: Start, home: Path
) -> None:
    define(home, "mcpServers: [docs]")
    sidecar = await start(settings={"runners": {"agent": equipped()}, **SETTINGS})
    with pytest.raises(RpcError, match="'docs' is not a known server; use one of: sidecar, own, spare"):
        await sidecar.launch("worker")


@pytest.mark.parametrize("is_on", [True, False])
async def test_the_servers_of_a_workspace_are_used_only_if_the_setting_says_so(
    start: Start, home: Path, is_on: bool
) -> None:
    define(home)
    theirs = {"command": sys.executable, "env": {"TOKEN": "${DOCS_TOKEN}"}, "disabled": False}
    file = {"mcpServers": {"theirs": theirs, "own": {"command": "theirs"}}}
    (home / "workspace" / ".mcp.json").write_text(json.dumps(file))
    settings = {"runners": {"agent": equipped()}, "agents": {"workspaceMcpServers": is_on}, **SETTINGS}
    sidecar = await start(settings=settings)
    task = await run(sidecar)
    assert set(task["mcpServers"]) == {"own", "spare", *(["theirs"] if is_on else [])}
    (session,) = received(sidecar, "session/new")
    servers = {server["name"]: server for server in session["mcpServers"]}
    assert servers["own"]["command"] == sys.executable
    if is_on:
        assert servers["theirs"]["env"] == [{"name": "TOKEN", "value": SECRET}]


@pytest.mark.parametrize("target", ["elsewhere.json", "missing.json"])
async def test_a_file_of_a_workspace_that_is_a_link_out_of_it_fails_the_launch(
    start: Start, home: Path, target: str
) -> None:
    define(home)
    (home / "elsewhere.json").write_text(json.dumps({"mcpServers": {"theirs": {"command": "sh"}}}))
    (home / "workspace" / ".mcp.json").symlink_to(home / target)
    settings = {"runners": {"agent": equipped()}, "agents": {"workspaceMcpServers": True}}
    sidecar = await start(settings=settings)
    with pytest.raises(RpcError, match=r"\.mcp\.json is a link that leads out of the workspace; put a copy"):
        await sidecar.launch("worker")


async def test_a_file_of_a_workspace_may_be_a_link_inside_of_it(start: Start, home: Path) -> None:
    define(home)
    file = home / "workspace" / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"theirs": {"command": sys.executable}}}))
    (home / "workspace" / ".mcp.json").symlink_to(file)
    settings = {"runners": {"agent": equipped()}, "agents": {"workspaceMcpServers": True}}
    assert (await run(await start(settings=settings)))["mcpServers"] == ["theirs"]


def bring(home: Path, *lines: str) -> None:
    """Write the definition `worker` into the workspace."""
    folder = home / "workspace" / ".sidecar" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    head = ["---", "name: worker", "description: x.", "runner: agent", *lines, "---"]
    (folder / "worker.md").write_text("\n".join([*head, ""]))


async def test_a_definition_of_a_workspace_starts_its_servers_only_once_it_is_approved(
    start: Start, home: Path
) -> None:
    bring(home, *DOCS, "    env: {TOKEN: '${env:DOCS_TOKEN}'}")
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    with pytest.raises(RpcError, match="describes docs, which would start programs") as error:
        await sidecar.launch("worker")
    assert error.value.code == -32014
    (problem,) = (await sidecar.request("subagents/list"))["problems"]
    assert problem["message"] in str(error.value)
    (approval,) = re.findall(r'"(sha256:\w+)"', problem["message"])
    settings = {"runners": {"agent": equipped()}, "agents": {"approved": [approval]}}
    await sidecar.request("settings/update", settings=settings)
    assert (await run(sidecar))["mcpServers"] == ["docs"]
    bring(home, *DOCS, "    env: {TOKEN: '${env:DOCS_TOKEN}', OTHER: x}")
    with pytest.raises(RpcError, match="describes docs"):
        await sidecar.launch("worker")


async def test_a_definition_of_a_workspace_does_not_replace_a_server_of_the_user(
    start: Start, home: Path
) -> None:
    bring(home, "mcpServers:", "  own:", "    command: theirs")
    sidecar = await start(settings={"runners": {"agent": equipped()}, **SETTINGS})
    await run(sidecar)
    (session,) = received(sidecar, "session/new")
    servers = {server["name"]: server["command"] for server in session["mcpServers"]}
    assert servers == {"own": sys.executable, "spare": "sh"}


async def test_a_broken_file_of_a_workspace_fails_the_launch_and_is_named(start: Start, home: Path) -> None:
    define(home)
    (home / "workspace" / ".mcp.json").write_text('{"mcpServers": {"a": {"command": 3}}}')
    sidecar = await start(
        settings={"runners": {"agent": equipped()}, "agents": {"workspaceMcpServers": True}}
    )
    with pytest.raises(RpcError, match=r"\.mcp\.json: mcpServers\.a: Expected `str"):
        await sidecar.launch("worker")


@pytest.mark.parametrize(
    ("servers", "problem"),
    [
        ({"a": {}}, "setting mcpServers.a: command is missing"),
        ({"a": {"url": "https://x"}}, "setting mcpServers.a: an address needs type"),
        ({"a": {"type": "http"}}, "setting mcpServers.a: url is missing"),
        ({"sidecar": {"command": "x"}}, "setting mcpServers.sidecar: this name stands for"),
        ({"a": {"command": "x", "timeout": 3}}, "unknown setting mcpServers"),
    ],
)
async def test_a_wrong_setting_is_refused_by_name(start: Start, servers: Json, problem: str) -> None:
    with pytest.raises(RpcError, match=problem):
        await start(settings={"mcpServers": servers})


async def test_an_agent_calls_a_tool_of_a_server(start: Start, home: Path) -> None:
    script, server = (str(REPO / "tests" / "agents" / name) for name in ("scripted.py", "mcp_server.py"))
    define(home, f"mcpServers: {{echo: {{command: {sys.executable}, args: [{server}]}}}}")
    runner = {"type": "acp", "command": [sys.executable, script]}
    sidecar = await start(settings={"runners": {"agent": runner}})
    task = await run(sidecar, 'call echo \'{"text": "over MCP"}\'')
    assert task["output"]["final_message"] == "echo: over MCP"
