"""The queue at the limit, without a journal or a process."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sidecar.api.errors import LimitReached
from sidecar.api.runs.async_tasks import AsyncTask, Progress, Waiting
from sidecar.api.runs.launches import LaunchParams
from sidecar.api.settings import RunnerSettings
from sidecar.app.settings import SettingsStore
from sidecar.subagents.definitions import Definition
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.lifecycle import LaunchAborted
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.targets.target import Target
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
        self.aborted: set[str] = set()
        settings = SettingsStore({"asyncTasks": {"perRunnerMax": {"full": 0}}})
        self.ms = 0
        self.shown: list[tuple[str, Waiting | None]] = []
        self.holds = RunnerHolds(lambda: self.ms, lambda: 1_000_000 + self.ms)
        self.admission = Admission(
            self.manager, RunnerQuota(settings), self.holds, self, self._note_move, self._note_wait
        )

    def _note_wait(self, record: RunRecord) -> None:
        self.shown.append((record.task.id, record.task.waiting))

    def _note_move(self, record: RunRecord) -> None:
        self.moved.append((record.task.id, record.task.queue_position))

    def add(self, task_id: str, *, ready: bool = True, runner: str = "r", model: str | None = None) -> int:
        place = self.admission.enqueue(prepared(task_id, runner, model))
        if ready:
            self.admission.make_ready(task_id)
        return place

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():
                await asyncio.sleep(0)

    def add_to_cluster(self, task_id: str, has_place: Callable[[], bool]) -> None:
        """Queue a launch that also needs a place on a cluster."""
        launch = prepared(task_id)
        self.admission.enqueue(replace(launch, target=replace(launch.target, has_place=has_place)))
        self.admission.make_ready(task_id)

    def end(self, task_id: str) -> None:
        self.manager.complete_task(task_id, {})
        self.admission.release(task_id)

    def refuse(self, task_id: str, **more: Any) -> None:
        """Have the model refuse a request that the run repeats."""
        retrying = {"attempt": 1, "status": 429, "text": "slow down", **more}
        self.holds.take(task_id, {"type": "log", "text": "", "retrying": retrying})

    def answer(self, task_id: str, **event: Any) -> None:
        """Have the model answer the run."""
        self.holds.take(task_id, {"type": "message", "role": "assistant", "text": "Hello.", **event})

    def at(self, ms: int) -> None:
        """Let the time pass."""
        self.ms = ms
        self.admission.pump()

    async def held(self, *names: str, model: str | None = None) -> None:
        """Start the run `first`, have its model refuse a request, and queue launches."""
        assert await self.admission.start_now(prepared("first", model=model))
        self.refuse("first")
        for name in names:
            self.add(name)

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        task_id = prepared.record.task.id
        self.started.append(task_id)
        if task_id in self.aborted:
            raise LaunchAborted("The task was cancelled before it started.")
        if task_id in self.failing:
            raise OSError("no such program")
        self.manager.register_task(
            id=task_id, subagent_name="a", goal_prompt="g", abort=lambda: None, slot=slot
        )


def prepared(task_id: str, runner_name: str = "r", model: str | None = None) -> PreparedLaunch:
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
        target=Target(Definition(name="a", description="", system_prompt="", model=model), runner),
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


async def test_a_launch_that_is_cancelled_while_it_starts_logs_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    queue = Queue(1)
    queue.aborted.add("a")
    queue.add("a")
    queue.add("b")
    await queue.until(lambda: queue.started == ["a", "b"])
    assert queue.manager.slots_taken == 1
    assert caplog.text == ""


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
    assert "asyncTasks.perRunnerMax allows 0" in queue.admission.limit_reached(full).message


async def test_a_closed_queue_starts_nothing_and_tells_who_waited() -> None:
    queue = Queue(0)
    queue.add("a")
    assert [record.task.id for record in await queue.admission.aclose(1)] == ["a"]
    queue.manager.set_max_async_tasks(1)
    queue.admission.pump()
    assert queue.started == []


async def test_launches_of_a_runner_whose_model_refuses_requests_wait() -> None:
    queue = Queue(5)
    await queue.held("a", "b")
    await asyncio.sleep(0)
    assert queue.started == ["first"]
    reasons = [record.task.waiting for record in queue.admission.waiting()]
    assert reasons == [Waiting(reason="rateLimit", until=1_015_000)] * 2
    assert not await queue.admission.start_now(prepared("c"))
    assert queue.admission.is_held(prepared("c"))


async def test_one_launch_probes_and_the_rest_follow_its_answer() -> None:
    queue = Queue(5)
    await queue.held("a", "b", "c")
    queue.at(15_000)
    await queue.until(lambda: queue.started == ["first", "a"])
    assert queue.shown[-1] == ("c", Waiting(reason="rateLimit"))
    queue.answer("first")
    queue.answer("a", role="user")
    queue.answer("a", text="API Error: 429 rate limit reached")
    await asyncio.sleep(0)
    assert queue.started == ["first", "a"]
    queue.answer("a")
    await queue.until(lambda: queue.started == ["first", "a", "b", "c"])
    assert queue.holds.waiting(("r", "")) is None


async def test_a_probe_that_is_refused_holds_the_others_twice_as_long() -> None:
    queue = Queue(5)
    await queue.held("a", "b")
    queue.at(15_000)
    await queue.until(lambda: "a" in queue.started)
    queue.refuse("a", status=529)
    assert queue.shown[-1] == ("b", Waiting(reason="overloaded", until=1_045_000))


async def test_the_wait_that_a_server_asks_for_counts() -> None:
    queue = Queue(5)
    await queue.held("a")
    queue.refuse("first", retryAfterSeconds=120)
    assert queue.shown == [("a", Waiting(reason="rateLimit", until=1_120_000))]


async def test_a_failure_of_another_kind_holds_nothing() -> None:
    queue = Queue(5)
    assert await queue.admission.start_now(prepared("first"))
    queue.refuse("first", status=401)
    assert await queue.admission.start_now(prepared("a"))


@pytest.mark.parametrize(
    ("refused", "launch"),
    [
        ({}, {"runner": "other"}),
        ({"model": "anthropic/opus"}, {"model": "openai/gpt"}),
        ({"model": "anthropic/opus"}, {}),
    ],
)
async def test_other_accounts_are_not_held(refused: dict[str, str], launch: dict[str, str]) -> None:
    queue = Queue(5)
    await queue.held(**refused)
    queue.add("a", model=refused.get("model"))
    queue.add("b", runner=launch.get("runner", "r"), model=launch.get("model"))
    await queue.until(lambda: queue.started == ["first", "b"])


async def test_models_of_one_provider_share_its_account() -> None:
    queue = Queue(5)
    await queue.held(model="anthropic/opus")
    assert not await queue.admission.start_now(prepared("a", model="anthropic/haiku"))


async def test_a_probe_that_starts_lets_launches_of_other_accounts_start_in_order() -> None:
    queue = Queue(1)
    await queue.held("a", "b")
    queue.add("c", runner="other")
    queue.add("d")
    queue.manager.set_max_async_tasks(5)
    queue.at(15_000)
    await queue.until(lambda: len(queue.started) == 3)
    assert queue.started == ["first", "a", "c"]
    assert [record.task.id for record in queue.admission.waiting()] == ["b", "d"]
    assert [record.task.queue_position for record in queue.admission.waiting()] == [1, 2]


async def test_a_launch_that_starts_over_the_limit_is_not_held_and_its_answer_opens_the_queue() -> None:
    queue = Queue(5)
    await queue.held("a", "b")
    assert await queue.admission.start_over_limit("b")
    assert queue.started == ["first", "b"]
    queue.answer("b")
    await queue.until(lambda: "a" in queue.started)


async def test_a_held_launch_leaves_the_queue_at_once() -> None:
    queue = Queue(5)
    await queue.held("a", "b")
    assert queue.admission.remove("a")
    queue.at(15_000)
    await queue.until(lambda: queue.started == ["first", "b"])


async def test_a_probe_that_cannot_start_lets_the_next_one_probe(caplog: pytest.LogCaptureFixture) -> None:
    queue = Queue(5)
    queue.failing.add("a")
    await queue.held("a", "b")
    queue.at(15_000)
    await queue.until(lambda: queue.started == ["first", "a", "b"])
    assert "could not be launched" in caplog.text


async def test_a_launch_that_the_limit_keeps_from_starting_is_not_held() -> None:
    queue = Queue(1)
    await queue.held()
    assert not queue.admission.is_held(prepared("a"))


async def test_a_closed_queue_shows_no_reasons() -> None:
    queue = Queue(5)
    await queue.held("a")
    await queue.admission.aclose(1)
    queue.refuse("first", retryAfterSeconds=120)
    assert queue.shown == []


async def test_a_queued_launch_shows_when_its_cluster_becomes_full_and_free_again() -> None:
    queue, free = Queue(1), [True]
    queue.add("a")
    queue.add_to_cluster("b", lambda: free[0])
    free[0] = False
    queue.admission.pump()
    assert queue.shown == [("b", Waiting(reason="clusterSlots"))]
    await queue.until(lambda: queue.started == ["a"])
    queue.end("a")
    free[0] = True
    queue.admission.pump()
    await queue.until(lambda: queue.started == ["a", "b"])
    assert queue.shown == [("b", Waiting(reason="clusterSlots"))]
