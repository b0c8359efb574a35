"""Questions of agents, answered from any client of a Host and from a terminal."""

import json
import re
import sys
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import REPO, define
from tests.e2e.host.conftest import HostSetting
from tests.e2e.processes import events

Json = dict[str, Any]

_RAW = str(REPO / "tests" / "agents" / "raw.py")
_FORM: Json = {
    "message": "Which \u001b[31mport?",
    "requestedSchema": {"properties": {"port": {"type": "integer", "maximum": 9}}, "required": ["port"]},
}
GOAL = json.dumps({"questions": [_FORM]})


@pytest.fixture
def asking(shared: HostSetting) -> HostSetting:
    """A Host with an agent that asks the questions in its prompt."""
    shared.configure(**{"runners.asking": {"type": "acp", "command": [sys.executable, _RAW, "inquire"]}})
    define(shared.home, ["asking"])
    return shared


async def test_any_client_answers_once_and_an_untrusted_one_only_declines(asking: HostSetting) -> None:
    first, stranger = await asking.attach(), await asking.attach(workspaceTrusted=False)
    task_id = await first.launch("asking", GOAL)
    await stranger.until(lambda: any("attention" in change for change in stranger.changes), 40)
    question = (await stranger.task(task_id))["attention"]
    params = {"taskId": task_id, "requestId": question["requestId"]}
    with pytest.raises(RpcError) as refused:
        await stranger.request("asyncTasks/answer", **params, action="accept", content={"port": 1})
    assert refused.value.code == -32015
    await stranger.request("asyncTasks/answer", **params, action="decline")
    with pytest.raises(RpcError) as late:
        await first.request("asyncTasks/answer", **params, action="accept", content={"port": 1})
    assert late.value.code == -32017
    assert (await first.ended(task_id))[0]["status"] == "completed"


async def test_a_question_outlives_the_window_that_launched_it(asking: HostSetting) -> None:
    first = await asking.attach()
    task_id = await first.launch("asking", GOAL)
    await first.until(lambda: any("attention" in change for change in first.changes), 40)
    before = (await first.task(task_id))["attention"]
    await first.shut_down()
    again = await asking.attach()
    assert (await again.task(task_id))["attention"] == before
    await again.request(
        "asyncTasks/answer",
        taskId=task_id,
        requestId=before["requestId"],
        action="accept",
        content={"port": 2},
    )
    assert '"port": 2' in (await again.ended(task_id))[0]["output"]["final_message"]


async def test_nobody_to_ask_declines_with_the_reason(asking: HostSetting) -> None:
    code, out, err = await asking.command("launch", "asking", GOAL, "--wait")
    assert code == 0, err
    assert '"action": "decline"' in out
    assert "no client is connected that can answer" in out
    _, _, logged = await asking.command("logs", out.split()[0])
    assert re.search(r"\[question\] decline by policy: Which .{0,2}\[31mport\?", logged)
    assert "was declined: no client is connected that can answer" in logged


async def test_a_terminal_shows_and_answers_a_question(asking: HostSetting) -> None:
    client = await asking.attach()
    task_id = await client.launch("asking", GOAL)
    await client.until(lambda: any("attention" in change for change in client.changes), 40)
    _, listed, _ = await asking.command("ps")
    assert re.search(r"Needs you: Which .{0,2}\[31mport\?", listed)
    assert "\x1b" not in listed
    code, _, err = await asking.command("answer", task_id)
    assert (code, "use --option or --json" in err) == (2, True)
    wrong = json.dumps({"action": "accept", "content": {"port": 10}})
    code, _, err = await asking.command("answer", task_id[:8], "--json", wrong)
    assert (code, "content.port: must be at most 9" in err) == (2, True)
    right = json.dumps({"action": "accept", "content": {"port": 9}})
    code, _, err = await asking.command("answer", task_id[:8], "--json", right)
    assert (code, err.strip()) == (0, f"{task_id} was answered")
    assert '"port": 9' in (await client.ended(task_id))[0]["output"]["final_message"]
    code, _, err = await asking.command("answer", task_id, "--json", right)
    assert (code, "is not waiting for an answer" in err) == (1, True)
    _, _, logged = await asking.command("logs", task_id)
    assert "[question] accept by user" in logged
    assert len(await events(client, task_id, "question")) == 2
