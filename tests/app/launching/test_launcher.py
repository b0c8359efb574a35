"""The one door for launches: of clients and of the model, at once, queued, refused or cancelled."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from sidecar.api.errors import InvalidState, LimitReached
from sidecar.api.runs.launches import LaunchParams, ResumeParams
from sidecar.app.launching.control import RunControl
from sidecar.app.launching.gate import LaunchGate
from sidecar.app.launching.launcher import Launcher
from sidecar.app.launching.resuming import Resumptions
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.lifecycle import LaunchAborted
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.scope import RunServices
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import Outcome
from sidecar.subagents.tasks.slots import Slot
from tests.app.launching.conftest import Planning

LAUNCH = LaunchParams(subagent_name="scout", goal_prompt="look")
DONE = Outcome("completed", "goal", output={"terminate_reason": "GOAL", "emitted_vars": {}})


class Door:
    """A launcher whose runs are registered and not executed; the test ends them."""

    def __init__(self, planning: Planning, maximum: int) -> None:
        self.planning = planning
        self.registry = planning.registry
        self.manager = AsyncTaskManager(maximum, lambda: 5)
        background, gate = BackgroundRuns(), LaunchGate()
        self.holds = RunnerHolds()
        self.registry.concluded.subscribe(self.holds.run_concluded)
        self.admission = Admission(
            self.manager,
            RunnerQuota(planning.settings),
            self.holds,
            self,
            self.registry.show_position,
            self.registry.show_waiting,
        )
        self.control = RunControl(self.manager, self.registry, self.admission, background, gate)
        self.registry.ended.subscribe(self.control.run_ended)
        self.launcher = Launcher(
            planning.planner,
            self.admission,
            background,
            cast(RunServices, self),
            self.control,
            gate,
            Resumptions(planning.events, self.registry),
        )

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        run = self.registry.live(prepared.task_id)
        if run is None:
            await self.registry.add(prepared.record)
        else:
            await self.registry.start(run)
        self.manager.register_task(
            id=prepared.task_id, subagent_name="scout", goal_prompt="look", abort=lambda: None, slot=slot
        )

    async def end(self, task_id: str) -> None:
        self.registry.conclude(task_id, DONE)
        await self.registry.settled(task_id)

    def statuses(self) -> list[str]:
        return [task.status for task in self.planning.changed]


@pytest.fixture
async def door(planning: Planning) -> AsyncIterator[Door]:
    door = Door(planning, 1)
    yield door
    await door.control.aclose(1)


async def of_the_model(door: Door, **given: Any) -> int | None:
    params = LaunchParams(subagent_name="scout", goal_prompt="look", **given)
    with door.launcher.gate.open() as pending:
        prepared = await door.launcher.prepare(params, door.planning.caller, sync=False, update_output=None)
        assert prepared.record.concerns_model
        return await door.launcher.start(prepared, pending)


async def test_over_the_limit_clients_and_the_model_are_refused_in_the_same_words(door: Door) -> None:
    door.planning.settings.update({"asyncTasks": {"overLimit": "reject"}})
    record = await door.launcher.launch(LAUNCH, door.planning.caller)
    with pytest.raises(LimitReached) as client:
        await door.launcher.launch(LAUNCH, door.planning.caller)
    with pytest.raises(LimitReached) as model:
        await of_the_model(door)
    assert client.value.message == model.value.message == "Max async tasks (1) reached"
    await door.end(record.task.id)


async def test_a_launch_of_the_model_does_not_overtake_the_queue(door: Door) -> None:
    first = await door.launcher.launch(LAUNCH, door.planning.caller)
    queued = LaunchParams(subagent_name="scout", goal_prompt="next", over_limit="queue")
    second = await door.launcher.launch(queued, door.planning.caller)
    assert await of_the_model(door, over_limit="queue") == 2
    await door.end(first.task.id)
    async with asyncio.timeout(5):
        while (live := door.registry.live(second.task.id)) is None or not live.is_running:
            await asyncio.sleep(0)
    assert [record.task.queue_position for record in door.admission.waiting()] == [1]


async def test_the_quota_of_a_runner_holds_for_the_model(door: Door) -> None:
    door.planning.settings.update({"asyncTasks": {"perRunnerMax": {"cat": 0}, "overLimit": "reject"}})
    with pytest.raises(LimitReached, match="perRunnerMax allows 0"):
        await of_the_model(door)
    assert door.manager.can_launch_async().allowed


async def test_cancelling_everything_reaches_a_launch_that_has_no_record_yet(door: Door) -> None:
    with door.launcher.gate.open() as pending:
        prepared = await door.launcher.prepare(LAUNCH, door.planning.caller, sync=False, update_output=None)
        assert await door.control.cancel_all("user") == 1
        with pytest.raises(LaunchAborted, match="was cancelled"):
            await door.launcher.start(prepared, pending)
    assert door.statuses() == []


async def test_a_launch_that_is_cancelled_while_it_waits_for_a_slot_does_not_start(door: Door) -> None:
    first = await door.launcher.launch(LAUNCH, door.planning.caller)
    door.manager.keep_slot(first.task.id)
    await door.end(first.task.id)
    rejecting = LaunchParams(subagent_name="scout", goal_prompt="next", over_limit="reject")
    waiting = asyncio.create_task(door.launcher.launch(rejecting, door.planning.caller))
    async with asyncio.timeout(5):
        while await door.control.cancel_all("user") == 0:
            await asyncio.sleep(0)
    started = len(door.planning.changed)
    door.manager.free_slot(first.task.id)
    door.control.slot_freed(first.task.id)
    with pytest.raises(LaunchAborted, match="was cancelled"):
        await waiting
    assert len(door.planning.changed) == started


async def test_only_an_ended_run_is_resumed_and_by_its_own_parameters(door: Door) -> None:
    record = await door.launcher.launch(LAUNCH, door.planning.caller)
    again = ResumeParams(task_id=record.task.id)
    with pytest.raises(InvalidState, match="only an ended task can be resumed"):
        await door.launcher.resume(again, door.planning.caller)
    await door.end(record.task.id)
    resumed, mode = await door.launcher.resume(again, door.planning.caller)
    assert (resumed.task.resumes, resumed.task.goal_prompt, mode) == (record.task.id, "look", "replay")


async def test_a_held_launch_is_queued_with_its_reason_even_if_the_limit_would_refuse_it(door: Door) -> None:
    door.planning.settings.update({"asyncTasks": {"overLimit": "reject"}})
    door.control.set_max(3)
    first = await door.launcher.launch(LAUNCH, door.planning.caller)
    refusal = Outcome("failed", "error", "slow down", "rateLimit", retry_after_seconds=3_600)
    door.registry.conclude(first.task.id, refusal)
    await door.registry.settled(first.task.id)
    held = (await door.launcher.launch(LAUNCH, door.planning.caller)).task
    assert (held.status, held.queue_position) == ("queued", 1)
    assert held.waiting is not None
    assert (held.waiting.reason, await of_the_model(door)) == ("rateLimit", 2)
    records, _ = await door.planning.journal.list(["queued"], None, 10)
    assert [record.task.waiting for record in records] == [held.waiting] * 2


async def test_a_held_launch_can_be_started_now_and_another_be_cancelled(door: Door) -> None:
    door.control.set_max(3)
    first = await door.launcher.launch(LAUNCH, door.planning.caller)
    door.registry.conclude(first.task.id, Outcome("failed", "error", "slow down", "overloaded"))
    await door.registry.settled(first.task.id)
    cancelled = await door.launcher.launch(LAUNCH, door.planning.caller)
    forced = await door.launcher.launch(LAUNCH, door.planning.caller)
    assert await door.control.cancel(cancelled.task.id, "user")
    ended = door.registry.current(cancelled)
    assert (ended.status, ended.waiting) == ("cancelled", None)
    await door.control.start_now(forced)
    started = door.registry.current(forced)
    assert (started.status, started.waiting) == ("running", None)


async def test_a_held_launch_beyond_the_limit_is_refused(door: Door) -> None:
    door.planning.settings.update({"asyncTasks": {"overLimit": "reject"}})
    door.control.set_max(2)
    first = await door.launcher.launch(LAUNCH, door.planning.caller)
    await door.launcher.launch(LAUNCH, door.planning.caller)
    door.holds.enter(first.task.id, ("cat", ""))
    retrying = {"attempt": 1, "status": 429, "text": "slow down"}
    door.holds.take(first.task.id, {"type": "log", "text": "", "retrying": retrying})
    with pytest.raises(LimitReached):
        await door.launcher.launch(LAUNCH, door.planning.caller)
