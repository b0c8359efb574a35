"""A launch works where it asks to: on this machine, on any node, or on one with a label.

The cluster is one process without Ray; see tests/fleet/fakes/alone.py.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import REPO, Sidecar, Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

SECRET = "a secret of the node"
PROGRAM = [sys.executable, "-m", "tests.fleet.fakes.alone", "first", "second"]
GATEWAY = ["env", f"ON_NODES={SECRET}", *PROGRAM]
RUNNERS: Json = {
    "write": {"type": "command", "command": ["sh", "-c", "echo new > new.txt; echo done"]},
    "agent": {"type": "acp", "command": [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]},
}


@pytest.fixture
async def sidecar(start: Start, home: Path) -> Sidecar:
    """A sidecar with a cluster of two nodes, whose workspace is a repository."""
    (home / "workspace" / "old.txt").write_text("old\n")
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=home / "workspace", check=True)
    define(home, "write", "write")
    define(home, "agent", "agent")
    define(home, "owning", "agent", "mcpServers: [sidecar]\n")
    return await start(settings={"runners": RUNNERS, "fleet": {"gateway": GATEWAY}})


def define(home: Path, name: str, runner: str, more: str = "") -> None:
    file = home / "config" / "subagent-sidecar" / "agents" / f"{name}.md"
    file.write_text(f"---\nname: {name}\ndescription: x.\nrunner: {runner}\n{more}---\n")


def server(**env: str) -> Json:
    return {"docs": {"command": sys.executable, "args": ["-m", "docs"], "env": env}}


async def test_a_label_chooses_the_node_and_the_changes_come_back(sidecar: Sidecar) -> None:
    labels = {"fleet.name": "second", "kind": "fake"}
    run = await sidecar.launch("write", placement="ray", nodeLabels=labels)
    (task,) = await sidecar.ended(run)
    assert (task["status"], task["output"]["final_message"]) == ("completed", "done")
    assert (task["placement"]["kind"], task["placement"]["node"]) == ("ray", "second")
    assert task["changes"] == {"files": 1, "additions": 1, "deletions": 0}
    shown = ["git", "show", f"refs/sidecar/{run}:new.txt"]
    assert subprocess.run(shown, cwd=sidecar.workspace, check=True, capture_output=True).stdout == b"new\n"
    assert not (sidecar.workspace / "new.txt").exists()


async def test_a_launch_on_this_machine_has_no_placement(sidecar: Sidecar) -> None:
    (task,) = await sidecar.ended(await sidecar.launch("write", placement="local"))
    assert "placement" not in task and (sidecar.workspace / "new.txt").exists()


async def test_a_label_that_no_node_has_is_refused_with_the_remedy(sidecar: Sidecar) -> None:
    with pytest.raises(RpcError, match=r"no node has the labels gpu=yes.*--labels gpu=yes") as refused:
        await sidecar.launch("write", placement="ray", nodeLabels={"gpu": "yes"})
    assert refused.value.code == -32014


async def test_the_status_starts_a_gateway_only_when_it_may(sidecar: Sidecar) -> None:
    unreached = await sidecar.request("fleet/status", connect=False)
    assert unreached["configured"] and unreached["nodes"] == []
    reached = await sidecar.request("fleet/status")
    assert [node["labels"] for node in reached["nodes"]] == [
        {"fleet.name": "first", "kind": "fake"},
        {"fleet.name": "second", "kind": "fake"},
    ]
    assert (await sidecar.request("fleet/status", connect=False))["nodes"] == reached["nodes"]


async def test_mcp_servers_get_the_variables_of_the_node(sidecar: Sidecar) -> None:
    await sidecar.request("settings/update", settings={"mcpServers": server(TOKEN="${env:ON_NODES}")})
    run = await sidecar.launch("agent", "token", placement="ray")
    (task,) = await sidecar.ended(run)
    # Only the value of the node is removed, so the server got it.
    assert (task["output"]["final_message"], task["mcpServers"]) == ("token: [secret]", ["docs"])


async def test_a_variable_that_the_node_lacks_is_named_with_the_remedy(sidecar: Sidecar) -> None:
    await sidecar.request("settings/update", settings={"mcpServers": server(TOKEN="${env:ONLY_HERE}")})
    (task,) = await sidecar.ended(await sidecar.launch("agent", "token", placement="ray"))
    assert task["endReason"] == "error"
    assert "mcpServers: docs: the environment variable ONLY_HERE is not set" in task["error"]
    assert task["error"].endswith("set it where Ray is started on the node")


async def test_a_value_that_may_be_a_secret_is_not_sent_to_a_cluster(sidecar: Sidecar) -> None:
    await sidecar.request("settings/update", settings={"mcpServers": server(TOKEN="literal")})
    with pytest.raises(RpcError, match=r"variables are not sent to a cluster; write TOKEN with"):
        await sidecar.launch("agent", "token", placement="ray")


async def test_the_sidecars_own_tools_are_refused_with_the_remedy(sidecar: Sidecar) -> None:
    with pytest.raises(RpcError, match=r"mcpServers name sidecar.*remove it, or use placement: local"):
        await sidecar.launch("owning", placement="ray")
