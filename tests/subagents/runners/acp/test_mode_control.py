"""An agent is put into a mode in which it asks. The tests check what the agent wrote."""

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.runs.permissions import Policy
from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.contract import FormerSession

pytestmark = pytest.mark.slow  # each starts an agent

Agent = Callable[..., Awaitable[Any]]
Begin = Callable[..., Awaitable[Any]]


@pytest.fixture
def begin(agent: Agent) -> Begin:
    """Start the agent with modes; `behavior` says what it does, see `tests/agents/modes.py`."""

    async def begin(behavior: dict[str, Any], **more: Any) -> Any:
        return await agent(json.dumps(behavior), program="modes.py", **more)

    return begin


BY = pytest.mark.parametrize("by", [["modes"], ["options"], ["modes", "options"]], ids="-".join)


@BY
@pytest.mark.parametrize("start", ["auto", "acceptEdits", "bypassPermissions", "dontAsk", "yolo", "anything"])
async def test_an_agent_that_starts_in_a_mode_that_approves_by_itself_asks(
    begin: Begin, person: Any, tmp_path: Path, by: list[str], start: str
) -> None:
    person.chooses = "no"
    run = await begin({"start": start, "by": by, "offers": [start, "default"]})
    assert (await run.result()).terminate_reason == "GOAL"
    assert [question.title for question in person.questions] == ["Write out.txt"]
    assert not (tmp_path / "out.txt").exists()


async def test_an_allowed_write_is_done_in_the_asking_mode(begin: Begin, person: Any, tmp_path: Path) -> None:
    person.chooses = "yes"
    await (await begin({})).result()
    assert (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("policy", ["ask", "allowReads", "allowEdits", "deny"])
async def test_every_policy_but_allow_all_has_the_agent_ask(
    begin: Begin, person: Any, tmp_path: Path, policy: Policy
) -> None:
    person.chooses = "no"
    await (await begin({}, policy=policy)).result()
    assert (len(person.questions), (tmp_path / "out.txt").exists()) == (1, False)


async def test_allow_all_leaves_the_agent_the_mode_it_starts_in(
    begin: Begin, person: Any, tmp_path: Path
) -> None:
    await (await begin({}, policy="allowAll")).result()
    assert (len(person.questions), (tmp_path / "out.txt").exists()) == (0, True)
    assert person.configurations == [("auto", None)]


async def test_a_list_of_tools_has_the_agent_ask_under_allow_all_too(
    begin: Begin, person: Any, tmp_path: Path
) -> None:
    person.chooses = "no"
    await (await begin({}, policy="allowAll", tools=ToolRule((("Read",),)))).result()
    assert (len(person.questions), (tmp_path / "out.txt").exists()) == (1, False)


@BY
async def test_a_session_that_is_taken_up_is_put_into_the_asking_mode_too(
    begin: Begin, person: Any, tmp_path: Path, by: list[str]
) -> None:
    person.chooses = "no"
    await (await begin({"by": by}, former=FormerSession("session-1", "continue"))).result()
    assert (len(person.questions), (tmp_path / "out.txt").exists()) == (1, False)


@BY
@pytest.mark.parametrize(
    ("behavior", "error"),
    [
        ({"offers": ["auto", "yolo"]}, "starts in mode 'auto'.*no mode in which it is known to ask"),
        ({"offers": []}, r"no mode in which it is known to ask \(it offers no other mode\)"),
        ({"offers": ["auto", "plan"]}, "no mode in which it is known to ask"),
        ({"answer": "refuse"}, "refuses mode 'default'.*not in this session"),
        ({"answer": "stay"}, "stays in 'auto'"),
        ({"answer": "later"}, "stays in 'auto'|switched to mode 'auto'"),
        ({"start": "default", "switch": True}, "switched to mode 'auto'"),
        ({"switch": True}, "switched to mode 'auto'"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
async def test_an_agent_that_does_not_ask_fails_and_writes_nothing(
    begin: Begin, person: Any, tmp_path: Path, by: list[str], behavior: dict[str, Any], error: str
) -> None:
    person.chooses = "yes"
    run = await begin({**behavior, "by": by})
    result = await run.result()
    assert result.terminate_reason == "ERROR"
    assert re.search(error, result.error), result.error
    assert "permissions: allowAll" in result.error
    assert not (tmp_path / "out.txt").exists()


async def test_a_switch_is_only_reported_under_allow_all(begin: Begin, person: Any) -> None:
    await begin({"start": "default", "switch": True, "by": ["modes"]}, policy="allowAll")
    await person.reconfigured.wait()
    assert person.configurations == [("default", None), ("auto", None)]


async def test_a_session_that_starts_in_planning_stays_there(begin: Begin, person: Any) -> None:
    await (await begin({"start": "plan", "offers": ["plan", "default"]})).result()
    assert person.configurations == [("plan", None)]


async def test_the_mode_that_asks_is_reported_once_it_is_in_force(begin: Begin, person: Any) -> None:
    person.chooses = "no"
    await (await begin({})).result()
    assert person.configurations == [("default", None)]


async def test_the_model_that_was_chosen_is_reported(agent: Agent, person: Any) -> None:
    await (await agent(prompt="say hi", model="large")).result()
    assert person.configurations == [(None, "large")]


async def test_an_agent_without_modes_runs_as_before(agent: Agent, person: Any) -> None:
    result = await (await agent(prompt="say hi")).result()
    assert (result.terminate_reason, person.configurations) == ("GOAL", [(None, "small")])
