"""The queue at the limit, without a journal or a process."""

import asyncio
from collections.abc import Callable

import pytest

from sidecar.api.errors import LimitReached
from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.api.runs.launches import LaunchParams
from sidecar.api.settings import RunnerSettings
from sidecar.app.settings import SettingsStore
from sidecar.subagents.definitions import Definition
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.targets import Target
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.slots import Slot
from sidecar.subagents.tasks.timeouts import TimeoutChoice


class Queue:
    """An admission whose launches register at once and are ended by the test."""

    def __init__(self, maximum: int) -> None:
        self.manager = AsyncTaskManager(maximum, lambda: 0)
        self.started: list[str] = []
        self.moved: list[tuple[str, int | None]] = []
        self.failing: set[str] = set()
        settings = SettingsStore({"asyncTasks": {"perRunnerMax": {"full": 0}}})
        self.admission = Admission(self.manager, RunnerQuota(settings), self, self._note_move)

    def _note_move(self, record: RunRecord) -> None:
        self.moved.append((record.task.id, record.task.queue_position))

    def add(self, task_id: str, *, ready: bool = True) -> int:
        place = self.admission.enqueue(prepared(task_id))
        if ready:
            self.admission.make_ready(task_id)
        return place

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():
                await asyncio.sleep(0)

    def end(self, task_id: str) -> None:
        self.manager.complete_task(task_id, {})
        self.admission.release(task_id)

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        task_id = prepared.record.task.id
        self.started.append(task_id)
        if task_id in self.failing:
            raise OSError("no such program")
        self.manager.register_task(
            id=task_id, subagent_name="a", goal_prompt="g", abort=lambda: None, slot=slot
        )


def prepared(task_id: str, runner_name: str = "r") -> PreparedLaunch:
    task = AsyncTask(
        id=task_id,
        subagent_name="a",
        goal_prompt="g",
        status="queued",
        progress=Progress(last_activity_at=0),
        runner=runner_name,
        workspace_dir="/",
    )
    runner = CommandRunner(runner_name, RunnerSettings(type="command"))
    return PreparedLaunch(
        params=LaunchParams(subagent_name="a", goal_prompt="g"),
        record=RunRecord(task=task, origin="client", request={}),
        target=Target(Definition(name="a", description="", system_prompt=""), runner),
        constraints=RunConstraints(),
        timeout=TimeoutChoice(None),
        settings=SettingsStore(),
    )


async def test_launches_start_in_the_order_they_came() -> None:
    queue = Queue(1)
    for name in "abc":
        queue.add(name)
    for name in "abc":
        await queue.until(lambda name=name: name in queue.started)  # type: ignore[misc]
        queue.end(name)
    assert queue.started == ["a", "b", "c"]


async def test_never_more_start_than_there_are_slots() -> None:
    queue = Queue(2)
    for name in "abcd":
        queue.add(name)
    await queue.until(lambda: len(queue.manager.get_running_tasks()) == 2)
    await asyncio.sleep(0)
    assert queue.started == ["a", "b"]
    assert len(queue.admission) == 2


async def test_what_is_not_ready_keeps_its_place_and_those_behind_it() -> None:
    queue = Queue(1)
    queue.add("a", ready=False)
    queue.add("b")
    await asyncio.sleep(0)
    assert queue.started == []
    queue.admission.make_ready("a")
    await queue.until(lambda: queue.started == ["a"])


async def test_leaving_the_queue_moves_those_behind_up() -> None:
    queue = Queue(0)
    assert [queue.add(name) for name in "abc"] == [1, 2, 3]
    assert queue.admission.remove("a")
    assert not queue.admission.remove("a")
    assert queue.moved == [("b", 1), ("c", 2)]


@pytest.mark.parametrize(
    ("task_id", "position", "place", "order", "moved"),
    [
        ("d", 1, 1, "dabc", {"a": 2, "b": 3, "c": 4, "d": 1}),
        ("a", 3, 3, "bcad", {"a": 3, "b": 1, "c": 2}),
        ("b", 99, 4, "acdb", {"b": 4, "c": 2, "d": 3}),
        ("b", 2, 2, "abcd", {}),
        ("x", 1, None, "abcd", {}),
    ],
)
async def test_a_launch_moves_in_the_queue(
    task_id: str, position: int, place: int | None, order: str, moved: dict[str, int]
) -> None:
    queue = Queue(0)
    for name in "abcd":
        queue.add(name)
    assert queue.admission.move(task_id, position) == place
    assert [record.task.id for record in queue.admission.waiting()] == list(order)
    assert [record.task.queue_position for record in queue.admission.waiting()] == [1, 2, 3, 4]
    assert dict(queue.moved) == moved


async def test_what_was_moved_to_the_front_starts_next() -> None:
    queue = Queue(0)
    for name in "abc":
        queue.add(name)
    queue.admission.move("c", 1)
    queue.manager.set_max_async_tasks(1)
    queue.admission.pump()
    await queue.until(lambda: queue.started == ["c"])


async def test_a_launch_that_fails_gives_its_slot_to_the_next(caplog: pytest.LogCaptureFixture) -> None:
    queue = Queue(1)
    queue.failing.add("a")
    queue.add("a")
    queue.add("b")
    await queue.until(lambda: queue.started == ["a", "b"])
    assert queue.manager.slots_taken == 1
    assert "could not be launched" in caplog.text


async def test_a_new_launch_does_not_overtake_the_queue() -> None:
    queue = Queue(0)
    queue.add("a")
    queue.manager.set_max_async_tasks(1)
    assert not await queue.admission.start_now(prepared("b"))
    assert queue.started == []


async def test_a_launch_that_fails_raises_its_error() -> None:
    queue = Queue(1)
    queue.failing.add("a")
    with pytest.raises(OSError, match="no such program"):
        await queue.admission.start_now(prepared("a"))


async def test_the_limit_that_refuses_a_launch_is_named() -> None:
    queue = Queue(1)
    assert await queue.admission.start_now(prepared("a"))
    error = queue.admission.limit_reached(prepared("b"))
    assert (error.message, error.data) == ("Max async tasks (1) reached", {"running": 1, "max": 1})
    full = prepared("c", "full")
    assert not await queue.admission.start_now(full)
    assert isinstance(queue.admission.limit_reached(full), LimitReached)
    assert "of runner 'full' (0) reached" in queue.admission.limit_reached(full).message


async def test_a_closed_queue_starts_nothing_and_tells_who_waited() -> None:
    queue = Queue(0)
    queue.add("a")
    assert [record.task.id for record in await queue.admission.aclose(1)] == ["a"]
    queue.manager.set_max_async_tasks(1)
    queue.admission.pump()
    assert queue.started == []
