"""The clocks of a run: what ends it, once, and what stops them."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.runs.async_tasks import AsyncTask, Placement, PlacementState, Progress
from sidecar.api.settings import AsyncTasksSettings, BudgetSettings, Settings
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.limits.timers import SilenceWatch
from sidecar.subagents.permissions.broker import PermissionBroker
from sidecar.subagents.questions.broker import QuestionBroker
from sidecar.subagents.runs import supervision
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.supervision import MonitorServices, RunMonitor
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import cancelled


async def _keep(run: Run) -> None:
    """Keep nothing."""


class Watched:
    """A monitor with short limits; `clock` tells what happened to the run's time limit."""

    def __init__(
        self, constraints: RunConstraints | None = None, servers: list[str] | None = None, **limits: Any
    ) -> None:
        task = AsyncTask(
            id="task-1",
            subagent_name="a",
            goal_prompt="g",
            status="running",
            progress=Progress(last_activity_at=0),
            runner="r",
            workspace_dir=str(Path("/")),
            mcp_servers=servers,
        )
        self.emitted = asyncio.Event()
        self.abort = Abort()
        self.aborted = asyncio.Event()
        self.abort.on_abort(self.aborted.set)
        self.clock: list[str] = []
        self.current = Settings(
            async_tasks=AsyncTasksSettings(**limits), budget=BudgetSettings(per_task_cost=1)
        )
        services = MonitorServices(
            spending=DaySpending(lambda: 0),
            broker=cast(PermissionBroker, None),
            questions=cast(QuestionBroker, None),
            remember=lambda run: None,
            show=lambda run: None,
            show_session=lambda run: self.shown.append(run.record.task.mode),
            show_changes=lambda run: None,
            left_cluster=lambda run: None,
            keep=_keep,
            now=lambda: 0,
        )
        self.shown: list[str | None] = []
        self.record = Run(RunRecord(task=task, origin="client", request={}))
        self.abort.clock = self
        self.record.attach(self.abort)
        self.run = RunMonitor(
            services, self.record, self, None, None, constraints or RunConstraints(), self._emit
        )

    def pause(self) -> None:
        self.clock.append("pause")

    def set_left(self, seconds: float) -> None:
        self.clock.append(f"{seconds} s left")

    def resume(self) -> None:
        self.clock.append("resume")

    def take(self, **event: Any) -> None:
        """Have an event of the run logged."""
        self.record.take({"ts": 1, **event})
        self.run.take(event)

    @property
    def error(self) -> str | None:
        return None if self.abort.outcome is None else self.abort.outcome.error

    async def _emit(self, event: dict[str, Any]) -> None:
        assert "awaitedServers" in event, "no other event is expected"
        self.take(**event)
        self.emitted.set()

    async def reason(self, seconds: float = 5) -> str | None:
        async with asyncio.timeout(seconds):
            await self.aborted.wait()
        return None if self.abort.outcome is None else self.abort.outcome.reason


async def test_a_late_start_ends_the_run() -> None:
    watched = Watched(startup_timeout_seconds=0.05, inactivity_timeout_seconds=0.01)
    watched.run.begin()
    assert await watched.reason() == "startupTimeout"
    assert "asyncTasks.startupTimeoutSeconds" in str(watched.error)


async def test_a_late_start_names_the_servers_that_the_agent_may_have_waited_for() -> None:
    watched = Watched(servers=["docs", "broken", "sidecar", "tickets"], startup_timeout_seconds=0.01)
    watched.take(type="log", stream="agent", text="", unmet={"kind": "mcpServer", "wanted": "broken"})
    watched.run.begin()
    await watched.reason()
    assert "an MCP server that does not answer: docs, tickets." in str(watched.error)


async def test_a_late_start_without_servers_does_not_mention_them() -> None:
    watched = Watched(startup_timeout_seconds=0.01)
    watched.run.begin()
    await watched.reason()
    assert "MCP" not in str(watched.error)


async def test_an_agent_with_servers_may_start_for_half_as_long_again() -> None:
    watched = Watched(servers=["docs"], startup_timeout_seconds=0.02)
    watched.run.begin()
    await watched.reason()
    assert "not ready within 0.03s" in str(watched.error)


async def test_servers_that_may_delay_the_start_are_named_until_the_agent_has_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision, "SERVERS_SECONDS", 0.01)
    watched = Watched(servers=["docs", "broken", "sidecar", "tickets"])
    watched.take(type="log", stream="agent", text="", unmet={"kind": "mcpServer", "wanted": "broken"})
    watched.run.begin()
    async with asyncio.timeout(5):
        await watched.emitted.wait()
    assert watched.record.fold.progress().awaited_servers == ["docs", "tickets"]
    watched.run.ready(silence_counts=False)
    assert watched.record.fold.progress().awaited_servers is None


async def test_the_sidecars_own_tools_are_not_named_as_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "SERVERS_SECONDS", 0.01)
    watched = Watched(servers=["sidecar"], startup_timeout_seconds=0.05)
    watched.run.begin()
    await watched.reason()
    assert "not ready within 0.05s" in str(watched.error) and not watched.emitted.is_set()


async def test_silence_after_the_start_ends_the_run() -> None:
    watched = Watched(startup_timeout_seconds=0.05, inactivity_timeout_seconds=0.05)
    watched.run.begin()
    watched.run.ready(silence_counts=True)
    assert await watched.reason() == "inactivity"


async def test_overspending_ends_the_run() -> None:
    watched = Watched()
    watched.take(type="usage", cost=2)
    assert await watched.reason() == "budget"
    assert "budget.perTaskCost" in str(watched.error)


async def test_overspending_after_a_cancel_changes_nothing() -> None:
    watched = Watched()
    watched.abort.abort(cancelled("user"))
    watched.take(type="usage", cost=2)
    assert watched.abort.outcome == cancelled("user")


async def test_an_agent_that_only_repeats_a_failed_request_is_silent() -> None:
    watched = Watched(inactivity_timeout_seconds=0.15)
    watched.run.ready(silence_counts=True)
    loop, retry = asyncio.get_running_loop(), {"attempt": 1, "text": "429 Too Many Requests"}
    for number in range(1, 20):
        loop.call_later(
            number / 100,
            lambda: watched.take(type="log", stream="agent", text="x", retrying=retry),
        )
    began = loop.time()
    assert await watched.reason() == "inactivity"
    assert loop.time() - began < 0.19
    assert watched.abort.outcome is not None
    assert (watched.abort.outcome.error_kind, "429 Too Many" in str(watched.error)) == ("rateLimit", True)


async def test_the_mode_in_force_is_shown_when_it_changes() -> None:
    watched = Watched()
    watched.run.configured(mode="default", model="m")
    watched.run.configured(mode="default", model=None)
    watched.run.configured(mode="plan", model=None)
    assert watched.shown == ["default", "plan"]
    assert watched.record.record.task.model == "m"


async def test_none_of_it_ends_a_run_whose_silence_does_not_count_or_that_has_ended() -> None:
    text, ended = Watched(inactivity_timeout_seconds=0.01), Watched(inactivity_timeout_seconds=0.01)
    text.run.ready(silence_counts=False)
    ended.run.ready(silence_counts=True)
    ended.run.end()
    for watched in (text, ended):
        with pytest.raises(TimeoutError):
            await watched.reason(0.1)


async def test_minus_one_means_no_limit() -> None:
    watched = Watched(startup_timeout_seconds=-1, inactivity_timeout_seconds=-1)
    watched.run.begin()
    watched.run.ready(silence_counts=True)
    with pytest.raises(TimeoutError):
        await watched.reason(0.05)


async def test_the_clocks_stop_from_the_first_open_question_to_the_last_answer() -> None:
    watched = Watched(inactivity_timeout_seconds=0.05)
    watched.run.ready(silence_counts=True)
    watched.run.pause_timers()
    watched.run.pause_timers()
    watched.run.resume_timers()
    with pytest.raises(TimeoutError):
        await watched.reason(0.2)
    assert watched.clock == ["pause"]
    watched.run.resume_timers()
    assert watched.clock == ["pause", "resume"]
    assert await watched.reason() == "inactivity"


async def test_a_sign_of_life_puts_the_end_off() -> None:
    loop, expired = asyncio.get_running_loop(), asyncio.Event()
    watch = SilenceWatch(0.2, expired.set)
    began = loop.time()
    watch.start()
    loop.call_later(0.1, watch.touch)
    await asyncio.wait_for(expired.wait(), 5)
    assert loop.time() - began >= 0.29


async def test_a_turn_too_many_ends_the_run_by_name() -> None:
    watched = Watched(RunConstraints(max_turns=1))
    for number in range(3):
        watched.take(type="message", messageId=str(number), text="x")
    assert await watched.reason() == "maxTurns"
    assert "its limit of 1 turns" in str(watched.error)


async def test_the_first_limit_names_the_end_even_when_a_watchdog_follows() -> None:
    watched = Watched(RunConstraints(max_turns=1), startup_timeout_seconds=0.05)
    watched.abort.on_soft_limit = lambda: True
    watched.run.begin()
    for number in range(2):
        watched.take(type="message", messageId=str(number), text="x")
    assert not watched.abort.aborted
    assert await watched.reason() == "maxTurns"
    assert "turns" in str(watched.error)


async def test_the_time_limit_does_not_run_while_a_run_waits_for_a_node() -> None:
    watched = Watched()
    watched.record.record.task.placement = Placement(kind="ray", state="waiting")
    states: list[PlacementState] = ["starting", "waiting", "starting", "running"]
    for state in states:
        watched.run.placed(None, state)
    assert watched.clock == ["resume", "pause", "resume"]


async def test_a_run_on_a_cluster_keeps_what_it_needs_of_its_node() -> None:
    watched = Watched()
    watched.record.record.task.placement = Placement(
        kind="ray", state="waiting", labels={"region": "here"}, slots=2
    )
    watched.run.placed("gpu-1", "running")
    assert watched.record.record.task.placement == Placement(
        kind="ray", node="gpu-1", state="running", labels={"region": "here"}, slots=2, last_heard_at=0
    )
