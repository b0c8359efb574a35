"""How runs are launched, driven to their end and disposed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.runs.background import BackgroundRuns, conclude
from sidecar.subagents.runs.lifecycle import LaunchAborted, LaunchTimedOut, ShutdownTimeouts
from sidecar.subagents.tasks.launching import Abort, Clock
from sidecar.subagents.tasks.model import AsyncTaskInfo, Output
from sidecar.subagents.tasks.outcome import Outcome, cancelled
from sidecar.subagents.tasks.timeouts import TimeoutChoice

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {"k": "v"}, "final_message": "done"}
TIMEOUTS = ShutdownTimeouts(wind_down=0.2, dispose=0.05)


class Fake:
    """A launch and its run in one: a test decides what each step does."""

    def __init__(self, agent_id: str = "agent-1") -> None:
        self.agent_id = agent_id
        self.output: Output | None = GOAL
        self.abort: Abort | None = None
        self.launched, self.may_launch = asyncio.Event(), asyncio.Event()
        self.running, self.may_end = asyncio.Event(), asyncio.Event()
        self.error: Exception | None = None
        self.deaf = False
        self.on_run: Callable[[], object] = lambda: None
        self.last_words: Output | None = None
        self.disposals = 0
        self.disposed = asyncio.Event()
        self.on_message: Callable[[str], object] | None = None
        self.may_launch.set()

    async def launch(self, abort: Abort) -> "Fake":
        self.abort = abort
        self.launched.set()
        if not self.deaf:
            abort.on_abort(self.may_launch.set)
        await self.may_launch.wait()
        return self

    async def run(self) -> None:
        assert self.abort is not None
        self.running.set()
        self.on_run()
        if not self.deaf:
            self.abort.on_abort(self.may_end.set)
        await self.may_end.wait()
        if self.last_words is not None:
            await asyncio.sleep(0)
            self.output = self.last_words
        if self.error is not None:
            raise self.error

    async def dispose(self) -> None:
        self.disposals += 1
        self.disposed.set()


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
def reasons() -> dict[str, str]:
    return {}


@pytest.fixture
async def runs(manager: AsyncTaskManager, reasons: dict[str, str]) -> AsyncIterator[BackgroundRuns]:
    def end(task_id: str, outcome: Outcome) -> None:
        if conclude(manager, task_id, outcome):
            reasons[task_id] = outcome.reason

    runs = BackgroundRuns(timeouts=TIMEOUTS, conclude=end)
    yield runs
    await runs.aclose(1)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@dataclass(frozen=True)
class Plan:
    """What is launched, under a time limit in seconds."""

    timeout: TimeoutChoice
    subagent_name: str = "scout"
    goal_prompt: str = "look"
    update_output: Callable[[str], object] | None = None


def plan(seconds: float | None = 900) -> Plan:
    return Plan(TimeoutChoice(seconds))


Launch = Callable[..., Any]


@pytest.fixture
def launch(runs: BackgroundRuns, manager: AsyncTaskManager, fake: Fake) -> Launch:
    async def launch(seconds: float | None = 900) -> AsyncTaskInfo:
        slot = manager.reserve_slot()
        assert slot is not None
        return await runs.launch(manager, plan(seconds), fake.launch, slot)

    return launch


def the_clock_of(fake: Fake) -> Clock:
    assert fake.abort is not None
    assert fake.abort.clock is not None
    return fake.abort.clock


async def ended(manager: AsyncTaskManager, fake: Fake) -> AsyncTaskInfo:
    """Wait for the disposal, which follows the end."""
    async with asyncio.timeout(5):
        await fake.disposed.wait()
    task = manager.get_task(fake.agent_id)
    assert task is not None
    return task


async def test_a_launch_returns_while_the_run_continues(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    task = await launch()
    assert (task.id, task.status, task.goal_prompt) == ("agent-1", "running", "look")
    fake.may_end.set()
    assert (await ended(manager, fake)).status == "completed"
    assert task.output == GOAL


async def test_a_run_that_missed_its_goal_fails_and_keeps_its_output(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, reasons: dict[str, str]
) -> None:
    fake.output = {"terminate_reason": "MAX_TURNS", "emitted_vars": {"k": "v"}}
    fake.may_end.set()
    await launch()
    task = await ended(manager, fake)
    assert (task.status, task.error) == ("failed", "Subagent ended with MAX_TURNS.")
    assert (task.output, reasons) == (fake.output, {"agent-1": "maxTurns"})


async def test_a_run_that_raises_fails_with_its_message_and_keeps_its_output(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    fake.error = RuntimeError("the model is gone")
    fake.may_end.set()
    await launch()
    task = await ended(manager, fake)
    assert (task.status, task.error, task.output) == ("failed", "the model is gone", GOAL)


async def test_cancel_reaches_the_run_and_its_state_stays(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, reasons: dict[str, str]
) -> None:
    task = await launch()
    manager.cancel_task("agent-1")
    assert fake.abort is not None
    assert fake.abort.aborted
    await ended(manager, fake)
    assert (task.status, task.output, reasons) == ("cancelled", None, {})


async def test_a_run_deaf_to_its_abort_is_cancelled(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    fake.deaf = True
    await launch()
    manager.cancel_task("agent-1")
    assert (await ended(manager, fake)).status == "cancelled"


@pytest.mark.parametrize("deaf", [False, True])
async def test_the_time_limit_fails_the_run_and_keeps_its_output(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, reasons: dict[str, str], deaf: bool
) -> None:
    fake.deaf = deaf
    await launch(0.02)
    task = await ended(manager, fake)
    assert (task.status, task.error, task.output) == ("failed", TimeoutChoice(0.02).text, GOAL)
    assert reasons == {"agent-1": "timeout"}


@pytest.mark.parametrize("deaf", [False, True])
async def test_the_time_limit_covers_the_launch(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, deaf: bool
) -> None:
    fake.may_launch.clear()
    fake.deaf = deaf
    with pytest.raises(LaunchTimedOut, match=r"terminated by TIMEOUT after 0\.02s"):
        await launch(0.02)
    assert manager.get_all_tasks() == []


async def test_a_slot_is_held_however_slow_the_launch_is_and_comes_back_when_it_fails(
    runs: BackgroundRuns, manager: AsyncTaskManager, fake: Fake, clock: Any
) -> None:
    manager.set_max_async_tasks(1)
    slot = manager.reserve_slot()
    assert slot is not None
    fake.may_launch.clear()
    launching = asyncio.create_task(runs.launch(manager, plan(), fake.launch, slot))
    await fake.launched.wait()
    clock.ms += 3_600_000
    assert manager.reserve_slot() is None
    assert fake.abort is not None
    fake.abort.abort(cancelled("user"))
    with pytest.raises(LaunchAborted):
        await launching
    assert manager.reserve_slot() is not None


async def test_a_launch_that_was_stopped_holds_its_slot_until_nothing_is_left_of_it(
    runs: BackgroundRuns, manager: AsyncTaskManager, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.set_max_async_tasks(1)
    free: list[bool] = []

    async def dispose() -> None:
        await asyncio.sleep(0)
        free.append(manager.can_launch_async().allowed)
        fake.disposed.set()

    monkeypatch.setattr(fake, "dispose", dispose)
    slot = manager.reserve_slot()
    assert slot is not None
    fake.may_launch.clear()
    caller = asyncio.create_task(runs.launch(manager, plan(), fake.launch, slot))
    await fake.launched.wait()
    caller.cancel()
    async with asyncio.timeout(5):
        await fake.disposed.wait()
        while slot.held:
            await asyncio.sleep(0)
    assert free == [False]


async def test_a_launch_that_raises_registers_nothing_and_frees_its_slot(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(abort: Abort) -> Fake:
        raise OSError("no such program")

    monkeypatch.setattr(fake, "launch", fail)
    manager.set_max_async_tasks(1)
    with pytest.raises(OSError, match="no such program"):
        await launch()
    assert (manager.get_all_tasks(), manager.can_launch_async().allowed) == ([], True)


async def test_an_id_that_is_running_already_fails_the_launch_and_is_disposed(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, start: Any
) -> None:
    start("agent-1")
    with pytest.raises(ValueError, match="already running"):
        await launch()
    assert (await ended(manager, fake)).status == "running"


async def test_a_caller_that_gives_up_stops_its_launch(
    runs: BackgroundRuns, manager: AsyncTaskManager, fake: Fake
) -> None:
    slot = manager.reserve_slot()
    assert slot is not None
    fake.may_launch.clear()
    caller = asyncio.create_task(runs.launch(manager, plan(), fake.launch, slot))
    await fake.launched.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert fake.abort is not None
    assert fake.abort.outcome == cancelled("user")
    async with asyncio.timeout(5):
        await fake.disposed.wait()
    assert (manager.get_all_tasks(), slot.held) == ([], False)


async def test_a_caller_cancelled_as_its_run_is_registered_leaves_none_behind(
    launch: Launch, manager: AsyncTaskManager, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = asyncio.create_task(launch())
    register = manager.register_task

    def register_late(**task: Any) -> AsyncTaskInfo:
        caller.cancel()
        return register(**task)

    monkeypatch.setattr(manager, "register_task", register_late)
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert (await ended(manager, fake)).status == "cancelled"


async def test_a_run_out_of_time_may_still_hand_in_what_it_has(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    fake.last_words = {"terminate_reason": "TIMEOUT", "emitted_vars": {}, "final_message": "so far"}
    await launch(0.02)
    assert (await ended(manager, fake)).output == fake.last_words


async def test_a_background_run_outlives_the_caller_that_launched_it(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    caller = asyncio.create_task(launch())
    await caller
    caller.cancel()
    fake.may_end.set()
    assert (await ended(manager, fake)).status == "completed"


async def test_thirty_simultaneous_launches_with_a_limit_of_three_admit_three(
    runs: BackgroundRuns, manager: AsyncTaskManager
) -> None:
    manager.set_max_async_tasks(3)

    async def attempt(number: int) -> bool:
        await asyncio.sleep(0)
        slot = manager.reserve_slot()
        if slot is None:
            return False
        await runs.launch(manager, plan(), Fake(f"agent-{number}").launch, slot)
        return True

    assert sum(await asyncio.gather(*map(attempt, range(30)))) == 3
    assert len(manager.get_running_tasks()) == 3


async def test_a_foreground_run_gives_its_end(runs: BackgroundRuns, fake: Fake) -> None:
    fake.may_end.set()
    done = await runs.run(plan(), fake.launch)
    assert (done.agent_id, done.end.returned, done.end.output) == ("agent-1", True, GOAL)
    assert fake.disposals == 1


async def test_a_foreground_run_ends_with_its_caller(runs: BackgroundRuns, fake: Fake) -> None:
    caller = asyncio.create_task(runs.run(plan(), fake.launch))
    await fake.running.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert fake.abort is not None
    assert (fake.abort.aborted, fake.disposals) == (True, 1)


async def test_a_paused_clock_does_not_expire_and_continues_with_what_was_left(
    launch: Launch, manager: AsyncTaskManager, fake: Fake
) -> None:
    fake.on_run = lambda: the_clock_of(fake).pause()
    task = await launch(0.1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.15):
            await fake.disposed.wait()
    assert task.status == "running"
    the_clock_of(fake).resume()
    assert (await ended(manager, fake)).error == TimeoutChoice(0.1).text


async def test_a_failing_or_hanging_disposal_is_logged_and_ends(
    launch: Launch,
    runs: BackgroundRuns,
    manager: AsyncTaskManager,
    fake: Fake,
    caplog: pytest.LogCaptureFixture,
) -> None:
    completed = asyncio.Event()
    manager.on_task_completed(lambda task: completed.set())

    async def hang() -> None:
        await asyncio.Event().wait()

    fake.dispose = hang  # type: ignore[method-assign]  # this launch's disposal only
    fake.may_end.set()
    await launch()
    async with asyncio.timeout(5):
        await completed.wait()
    await runs.aclose(1)
    assert "disposing subagent scout failed" in caplog.text


@pytest.mark.parametrize("deaf", [False, True])
async def test_closing_ends_every_run_as_the_hosts_exit(
    launch: Launch, runs: BackgroundRuns, fake: Fake, reasons: dict[str, str], deaf: bool
) -> None:
    fake.deaf = deaf
    task = await launch()
    await runs.aclose(0.02 if deaf else 1)
    assert (task.status, task.error) == ("failed", "The sidecar ended before the run did.")
    assert (reasons, fake.disposals) == ({"agent-1": "hostExit"}, 1)


async def test_nothing_is_launched_after_closing(
    launch: Launch, runs: BackgroundRuns, manager: AsyncTaskManager
) -> None:
    await runs.aclose(1)
    with pytest.raises(LaunchAborted, match="the sidecar is shutting down"):
        await launch()
    assert manager.can_launch_async().allowed
