"""The line in front of the limit, without a journal or a process."""

import asyncio
from collections.abc import Callable

import pytest

from sidecar.api.async_tasks import AsyncTask, Progress
from sidecar.api.settings import RunnerSettings
from sidecar.subagents.definitions import Definition
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runs.admission import Admission, Prepared
from sidecar.subagents.runs.catalogue import Plan
from sidecar.subagents.runs.driving import RunPlan
from sidecar.subagents.tasks.launching import LaunchRequest
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.slots import Slot
from sidecar.subagents.tasks.timeouts import TimeoutChoice


class Line:
    """An admission whose launches register at once and are ended by the test."""

    def __init__(self, maximum: int) -> None:
        self.manager = AsyncTaskManager(maximum, lambda: 0)
        self.started: list[str] = []
        self.moved: list[tuple[str, int | None]] = []
        self.failing: set[str] = set()
        self.room = RunnerQuota(dict)
        self.admission = Admission(self.manager, self._start, self._note_move, self.room)

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
        self.admission.pump()

    async def _start(self, prepared: Prepared, slot: Slot) -> None:
        task_id = prepared.record.task.id
        self.started.append(task_id)
        if task_id in self.failing:
            raise OSError("no such program")
        self.manager.register_task(
            id=task_id, subagent_name="a", goal_prompt="g", abort=lambda: None, slot=slot
        )


def prepared(task_id: str) -> Prepared:
    task = AsyncTask(
        id=task_id,
        subagent_name="a",
        goal_prompt="g",
        status="queued",
        progress=Progress(last_activity_at=0),
        runner="r",
        workspace_dir="/",
    )
    runner = CommandRunner("r", RunnerSettings(type="command"))
    plan = Plan(Definition(name="a", description="", system_prompt=""), runner)
    run = RunPlan(request=LaunchRequest(name="a"), goal_prompt="g", context={}, timeout=TimeoutChoice(None))
    return Prepared(RunRecord(task=task, origin="client", request={}), plan, run)


async def test_launches_start_in_the_order_they_came() -> None:
    line = Line(1)
    for name in "abc":
        line.add(name)
    for name in "abc":
        await line.until(lambda name=name: name in line.started)  # type: ignore[misc]
        line.end(name)
    assert line.started == ["a", "b", "c"]


async def test_never_more_start_than_there_are_slots() -> None:
    line = Line(2)
    for name in "abcd":
        line.add(name)
    await line.until(lambda: len(line.manager.get_running_tasks()) == 2)
    await asyncio.sleep(0)
    assert line.started == ["a", "b"]
    assert len(line.admission) == 2


async def test_what_is_not_ready_keeps_its_place_and_those_behind_it() -> None:
    line = Line(1)
    line.add("a", ready=False)
    line.add("b")
    await asyncio.sleep(0)
    assert line.started == []
    line.admission.make_ready("a")
    await line.until(lambda: line.started == ["a"])


async def test_leaving_the_line_moves_those_behind_up() -> None:
    line = Line(0)
    assert [line.add(name) for name in "abc"] == [1, 2, 3]
    assert line.admission.remove("a")
    assert not line.admission.remove("a")
    assert line.moved == [("b", 1), ("c", 2)]


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
async def test_a_launch_moves_in_the_line(
    task_id: str, position: int, place: int | None, order: str, moved: dict[str, int]
) -> None:
    line = Line(0)
    for name in "abcd":
        line.add(name)
    assert line.admission.move(task_id, position) == place
    assert [record.task.id for record in line.admission.waiting()] == list(order)
    assert [record.task.queue_position for record in line.admission.waiting()] == [1, 2, 3, 4]
    assert dict(line.moved) == moved


async def test_what_was_moved_to_the_front_starts_next() -> None:
    line = Line(0)
    for name in "abc":
        line.add(name)
    line.admission.move("c", 1)
    line.manager.set_max_async_tasks(1)
    line.admission.pump()
    await line.until(lambda: line.started == ["c"])


async def test_a_launch_that_fails_gives_its_slot_to_the_next(caplog: pytest.LogCaptureFixture) -> None:
    line = Line(1)
    line.failing.add("a")
    line.add("a")
    line.add("b")
    await line.until(lambda: line.started == ["a", "b"])
    assert line.manager.slots_taken == 1
    assert "could not be launched" in caplog.text


async def test_a_new_launch_does_not_overtake_the_line() -> None:
    line = Line(0)
    line.add("a")
    line.manager.set_max_async_tasks(1)
    assert line.admission.take_slot(prepared("b")) is None


async def test_a_closed_line_starts_nothing_and_tells_who_waited() -> None:
    line = Line(0)
    line.add("a")
    assert [record.task.id for record in await line.admission.aclose(1)] == ["a"]
    line.manager.set_max_async_tasks(1)
    line.admission.pump()
    assert line.started == []
