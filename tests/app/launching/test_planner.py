"""What a launch is refused for, and what a prepared launch holds."""

from typing import Any

import pytest

from sidecar.api.errors import InvalidParams, LaunchFailed, SubagentNotFound, TaskNotFound
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.launching.launch_record import from_record
from sidecar.subagents.agent_text import InvalidParameter
from sidecar.subagents.runs.prepared import PreparedLaunch
from tests.app.launching.conftest import Planning


def launch(**given: Any) -> LaunchParams:
    return LaunchParams(**{"subagent_name": "scout", "goal_prompt": "look", **given})


async def prepare(planning: Planning, **given: Any) -> PreparedLaunch:
    return await planning.planner.prepare(launch(**given), planning.caller, origin="client")


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"goal_prompt": " "}, "goalPrompt"),
        ({"timeout_seconds": 0}, "timeoutSeconds"),
        ({"grace_period_seconds": -2}, "gracePeriodSeconds"),
        ({"max_turns": 0}, "maxTurns"),
        ({"expected_outputs": {" ": "a name"}}, "expectedOutputs"),
        ({"tool_whitelist": ["read"]}, "toolWhitelist"),
    ],
)
async def test_a_wrong_parameter_is_named(planning: Planning, given: dict[str, Any], parameter: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{parameter}: ") as caught:
        await prepare(planning, **given)
    assert caught.value.parameter == parameter


async def test_an_unknown_subagent_or_parent_is_refused(planning: Planning) -> None:
    with pytest.raises(SubagentNotFound):
        await prepare(planning, subagent_name="nobody")
    with pytest.raises(TaskNotFound, match="parentTaskId: "):
        await prepare(planning, parent_task_id="nope")


async def test_nothing_is_launched_when_the_budget_of_the_day_is_used_up(planning: Planning) -> None:
    planning.settings.update({"budget": {"perDayCost": 1}})
    planning.spending.add(2.0, 0)
    with pytest.raises(LaunchFailed, match="cannot be launched"):
        await prepare(planning)


async def test_what_the_launch_asks_for_comes_before_the_definition(planning: Planning) -> None:
    planning.definitions.limits = {"timeout_seconds": 30}
    assert (await prepare(planning)).timeout.effective == 30
    prepared = await prepare(planning, timeout_seconds=7)
    assert (prepared.timeout.effective, prepared.record.task.timeout_seconds) == (7, 7)


async def test_a_run_nested_too_deeply_is_refused(planning: Planning) -> None:
    parent = await prepare(planning)
    await planning.registry.add(parent.record)
    with pytest.raises(InvalidParams, match=r"asyncTasks\.maxDepth \(1\)"):
        await prepare(planning, parent_task_id=parent.task_id)
    planning.settings.update({"asyncTasks": {"maxDepth": 2}})
    child = await prepare(planning, parent_task_id=parent.task_id[:8])
    assert child.record.task.parent_task_id == parent.task_id


async def test_a_record_holds_what_it_takes_to_launch_the_run_again(planning: Planning) -> None:
    given = launch(
        behaviour_prompts=["be brief"],
        context={"x": 1},
        timeout_seconds=60,
        grace_period_seconds=5,
        notify_model=True,
    )
    prepared = await planning.planner.prepare(given, planning.caller, origin="client")
    again = from_record(prepared.record)
    assert again == launch(
        behaviour_prompts=["be brief"],
        context={"x": 1},
        timeout_seconds=60,
        grace_period_seconds=5,
        notify_model=True,
        workspace_dir=str(planning.workspace.folders[0]),
    )
    assert not from_record(prepared.record, notify_model=False).notify_model


async def test_a_launch_says_what_its_node_must_have_again_too(planning: Planning) -> None:
    prepared = await prepare(planning, placement="ray", node_labels={"gpu": "yes"})
    again = from_record(prepared.record)
    assert (again.placement, again.node_labels) == ("ray", {"gpu": "yes"})
    assert planning.definitions.asked == [("ray", {"gpu": "yes"})]


async def test_the_time_to_ask_a_cluster_counts_from_the_beginning_of_a_launch(planning: Planning) -> None:
    await prepare(planning, placement="ray")
    asked_at, until = planning.definitions.times
    assert until < asked_at + 4


async def test_labels_for_a_run_on_this_machine_are_refused_with_the_remedy(planning: Planning) -> None:
    with pytest.raises(InvalidParameter, match=r"^nodeLabels: .*omit it, or use placement: ray"):
        await prepare(planning, node_labels={"gpu": "yes"})
