"""How the model runs subagents, and what it is answered."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.lifecycle import ShutdownTimeouts
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import cancelled
from sidecar.subagents.tasks.timeouts import TimeoutChoice
from sidecar.tools import TaskTool
from sidecar.tools.orchestrator import LaunchRequest
from sidecar.tools.result import ToolError, ToolResult

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {"k": "v", "n": 1.0}, "final_message": "all done"}
CALL = {"subagent_name": "scout", "goal_prompt": "look around"}
NOTICE = (
    "\n\nRequested timeout 3600s was reduced to the configured ceiling of 1800s. "
    "Raise asyncTasks.maxTimeoutSeconds to allow a longer run."
)


class Fake:
    """An orchestrator whose launches and runs a test holds, ends or breaks."""

    def __init__(self) -> None:
        self.agent_id = "agent-1"
        self.output: Output | None = GOAL
        self.requests: list[LaunchRequest] = []
        self.contexts: list[dict[str, Any]] = []
        self.aborts: list[Abort] = []
        self.launch_error: Exception | None = None
        self.run_error: Exception | None = None
        self.hang_in: str | None = None
        self.waiting = asyncio.Event()
        self.disposals = 0

    @property
    def scope(self) -> "Fake":
        return self

    async def launch(self, request: LaunchRequest, abort: Abort) -> "Fake":
        self.requests.append(request)
        self.aborts.append(abort)
        await self.step("launch")
        if self.launch_error is not None:
            raise self.launch_error
        return self

    async def run_non_interactive(self, context: dict[str, Any]) -> None:
        self.contexts.append(context)
        await self.step("run")
        if self.run_error is not None:
            raise self.run_error

    async def step(self, name: str) -> None:
        if self.hang_in == name:
            aborted = asyncio.Event()
            self.aborts[-1].on_abort(aborted.set)
            self.waiting.set()
            await aborted.wait()

    async def dispose(self) -> None:
        self.disposals += 1


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
def manager() -> AsyncTaskManager:
    return AsyncTaskManager(2, now=lambda: 1_000)


@pytest.fixture
async def runs() -> AsyncIterator[BackgroundRuns]:
    runs = BackgroundRuns(timeouts=ShutdownTimeouts(wind_down=0.05, dispose=0.05))
    yield runs
    await runs.aclose(1)


@pytest.fixture
def tool(fake: Fake, manager: AsyncTaskManager, runs: BackgroundRuns) -> TaskTool:
    return TaskTool(lambda: fake, lambda: manager, background=runs)


def metadata(result: ToolResult) -> dict[str, Any]:
    assert result.metadata is not None
    return result.metadata


async def ended(manager: AsyncTaskManager, id: str = "agent-1") -> str:
    """Wait until a task is no longer running."""
    over = asyncio.Event()
    for subscribe in (manager.on_task_completed, manager.on_task_failed, manager.on_task_cancelled):
        subscribe(lambda task: over.set())
    task = manager.get_task(id)
    assert task is not None
    async with asyncio.timeout(5):
        while task.status == "running":
            await over.wait()
    return task.status


async def test_a_synchronous_run_answers_with_the_result(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    result = await tool.execute(CALL)
    assert result.llm_content == (
        '{\n  "agent_id": "agent-1",\n  "terminate_reason": "GOAL",\n  "emitted_vars": {\n    "k": "v",\n'
        '    "n": 1\n  },\n  "final_message": "all done"\n}'
    )
    assert result.return_display == (
        "Subagent **scout** (`agent-1`) completed with status `GOAL`.\n\nFinal message:\nall done\n\n"
        "Emitted variables:\n- **k**: v\n- **n**: 1"
    )
    assert metadata(result) == {
        "agentId": "agent-1",
        "terminateReason": "GOAL",
        "emittedVars": GOAL["emitted_vars"],
        "finalMessage": "all done",
        "effectiveTimeoutSeconds": 900,
        "requestedTimeoutSeconds": None,
        "timeoutClamped": False,
    }
    assert (result.error, fake.disposals, manager.get_all_tasks()) == (None, 1, [])


async def test_a_run_without_output_is_reported_to_have_none(tool: TaskTool, fake: Fake) -> None:
    fake.output = None
    result = await tool.execute(CALL)
    assert result.return_display == (
        "Subagent **scout** (`agent-1`) completed with status `ERROR`.\n\n"
        "Final message: _(none)_\n\nEmitted variables: _(none)_"
    )
    assert "final_message" not in json.loads(result.llm_content)


async def test_a_synchronous_run_needs_no_slot(fake: Fake, runs: BackgroundRuns) -> None:
    full = AsyncTaskManager(0)
    assert (await TaskTool(lambda: fake, lambda: full, background=runs).execute(CALL)).error is None
    assert (await TaskTool(lambda: fake, background=runs).execute(CALL)).error is None


async def test_an_async_launch_answers_at_once_and_the_run_continues(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    result = await tool.execute({**CALL, "async": True})
    assert result.llm_content == (
        "Async task launched: subagent 'scout' (ID: agent-1). Task is running in background. "
        "Use 'check_async_tasks' to monitor progress. You will be notified when it ends."
    )
    assert result.return_display == "Async task started: **scout** (`agent-1`)"
    assert metadata(result) == {
        "agentId": "agent-1",
        "async": True,
        "status": "running",
        "effectiveTimeoutSeconds": 900,
        "requestedTimeoutSeconds": None,
        "timeoutClamped": False,
    }
    assert await ended(manager) == "completed"
    assert fake.requests[0] == LaunchRequest(
        name="scout", behaviour_prompts=["look around"], run_config={"max_time_minutes": 15}
    )


class Speaker(Fake):
    """Says two things while it runs, to whoever listens."""

    def __init__(self) -> None:
        super().__init__()
        self.on_message: Callable[[str], object] | None = None

    async def run_non_interactive(self, context: dict[str, Any]) -> None:
        if self.on_message is not None:
            self.on_message("one ")
            self.on_message("two")
        await super().run_non_interactive(context)


@pytest.mark.parametrize("extra", [{}, {"async": True}])
async def test_a_run_streams_its_id_at_once_and_then_what_it_says(
    manager: AsyncTaskManager, runs: BackgroundRuns, extra: Any
) -> None:
    speaker = Speaker()
    heard: list[str] = []
    tool = TaskTool(lambda: speaker, lambda: manager, background=runs)
    await tool.execute({**CALL, **extra}, heard.append)
    if extra:
        await ended(manager)
    assert heard == ["Subagent 'scout' is running (ID: agent-1).\n", "one ", "two"]


async def test_a_scope_that_does_not_speak_streams_its_id_only(tool: TaskTool) -> None:
    heard: list[str] = []
    assert (await tool.execute(CALL, update_output=heard.append)).error is None
    assert heard == ["Subagent 'scout' is running (ID: agent-1).\n"]


async def test_a_listener_that_raises_does_not_harm_the_run(runs: BackgroundRuns) -> None:
    def fail(text: str) -> None:
        raise RuntimeError("closed")

    speaker = Speaker()
    assert (await TaskTool(lambda: speaker, background=runs).execute(CALL, fail)).error is None


async def test_a_launch_that_fails_streams_nothing(tool: TaskTool, fake: Fake) -> None:
    heard: list[str] = []
    fake.launch_error = RuntimeError("unknown subagent")
    assert (await tool.execute(CALL, heard.append)).error is not None
    assert heard == []


async def test_a_clamped_limit_is_reported_in_every_text(tool: TaskTool) -> None:
    for extra in ({}, {"async": True}):
        result = await tool.execute({**CALL, "timeout_seconds": 3600, **extra})
        assert result.llm_content.endswith(NOTICE)
        assert result.return_display.endswith(NOTICE)
        assert metadata(result)["timeoutClamped"] is True
        assert (metadata(result)["effectiveTimeoutSeconds"], metadata(result)["requestedTimeoutSeconds"]) == (
            1800,
            3600,
        )


async def test_async_without_a_manager_is_refused(fake: Fake) -> None:
    for tool in (TaskTool(lambda: fake), TaskTool(lambda: fake, lambda: None)):
        result = await tool.execute({**CALL, "async": True})
        assert result.llm_content == "Async mode requires AsyncTaskManager to be configured."
        assert result.return_display == "Error: Async mode not available."
        assert result.error == ToolError("AsyncTaskManager not configured", "EXECUTION_FAILED")


async def test_over_the_limit_the_tool_refuses_with_three_choices(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    manager.set_max_async_tasks(0)
    result = await tool.execute({**CALL, "async": True})
    reason, choices = result.llm_content.split("\n\n")
    assert reason == result.return_display == "Max async tasks (0) reached"
    assert choices == (
        "You can:\n"
        "1. Wait until a running task ends; check it with 'check_async_tasks'.\n"
        "2. Run this subagent synchronously, without async.\n"
        "3. Try again later."
    )
    assert result.error == ToolError(reason, "EXECUTION_FAILED")
    assert (result.metadata, fake.requests) == (None, [])


@pytest.mark.parametrize("extra", [{}, {"async": True}])
async def test_a_failing_orchestrator_is_an_answer(manager: AsyncTaskManager, extra: Any) -> None:
    def fail() -> Fake:
        raise RuntimeError("no settings")

    result = await TaskTool(fail, lambda: manager).execute({**CALL, **extra})
    fallback = (
        "Failed to create orchestrator for async task."
        if extra
        else "Task tool could not initialize subagent orchestrator."
    )
    assert result.llm_content == result.return_display == f"{fallback}\nDetails: no settings"
    assert result.error == ToolError("no settings", "EXECUTION_FAILED")
    assert manager.reserve_slot() is not None


@pytest.mark.parametrize("extra", [{}, {"async": True}])
async def test_a_failing_launch_is_an_answer_and_frees_its_slot(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager, extra: Any
) -> None:
    manager.set_max_async_tasks(1)
    fake.launch_error = RuntimeError("unknown subagent")
    result = await tool.execute({**CALL, **extra})
    fallback = "Failed to launch async subagent 'scout'." if extra else "Unable to launch subagent 'scout'."
    assert result.llm_content == f"{fallback}\nDetails: unknown subagent"
    assert result.error == ToolError("unknown subagent", "EXECUTION_FAILED")
    assert ("effectiveTimeoutSeconds" in (result.metadata or {})) == (not extra)
    assert manager.can_launch_async().allowed


async def test_a_failing_run_is_an_answer_with_what_it_had_produced(tool: TaskTool, fake: Fake) -> None:
    fake.run_error, fake.output = RuntimeError("lost the model"), None
    result = await tool.execute(CALL)
    assert result.llm_content == "Subagent 'scout' failed during execution.\nDetails: lost the model"
    assert (metadata(result)["agentId"], metadata(result)["error"]) == ("agent-1", "lost the model")
    fake.output = GOAL
    assert '"final_message": "all done"' in (await tool.execute(CALL)).llm_content
    assert fake.disposals == 2


@pytest.mark.parametrize("hang_in", ["run", "launch"])
async def test_a_synchronous_run_over_its_time_is_a_timeout(tool: TaskTool, fake: Fake, hang_in: str) -> None:
    fake.hang_in, fake.output = hang_in, None
    result = await tool.execute({**CALL, "timeout_seconds": 0.02})
    text = TimeoutChoice(0.02).text
    assert result.llm_content == result.return_display == text
    assert result.error == ToolError(text, "TIMEOUT")
    assert (metadata(result)["timedOut"], metadata(result)["terminateReason"]) == (True, "TIMEOUT")
    assert metadata(result)["agentId"] == ("agent-1" if hang_in == "run" else "primary")
    assert fake.disposals == 1


async def test_a_timeout_keeps_what_was_produced(tool: TaskTool, fake: Fake) -> None:
    fake.hang_in = "run"
    result = await tool.execute({**CALL, "timeout_seconds": 0.5})  # time to launch on a busy machine
    text, _, partial = result.llm_content.partition("\n\n")
    assert text == result.return_display
    assert json.loads(partial)["final_message"] == "all done"
    assert (metadata(result)["finalMessage"], metadata(result)["terminateReason"]) == ("all done", "GOAL")


async def test_an_async_run_over_its_time_fails_with_the_timeout_text(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    fake.hang_in = "run"
    await tool.execute({**CALL, "async": True, "timeout_seconds": 0.02})
    assert await ended(manager) == "failed"
    task = manager.get_task("agent-1")
    assert task is not None
    assert (task.error, task.output) == (TimeoutChoice(0.02).text, GOAL)


async def test_an_async_launch_over_its_time_is_a_timeout(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    fake.hang_in = "launch"
    result = await tool.execute({**CALL, "async": True, "timeout_seconds": 0.02})
    assert result.error is not None
    assert (result.error.type, manager.get_all_tasks()) == ("TIMEOUT", [])
    assert manager.can_launch_async().allowed


@pytest.mark.parametrize("hang_in", ["launch", "run"])
async def test_the_callers_cancellation_ends_a_synchronous_run(
    tool: TaskTool, fake: Fake, hang_in: str
) -> None:
    fake.hang_in = hang_in
    call = asyncio.create_task(tool.execute(CALL))
    await fake.waiting.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (fake.aborts[0].aborted, fake.disposals) == (True, 1)


@pytest.mark.parametrize(
    ("hang_in", "text", "agent_id"),
    [
        ("launch", "Task aborted during launch.", "primary"),
        ("run", "Task execution aborted before completion.", "agent-1"),
    ],
)
async def test_a_run_that_others_abort_is_answered_as_cancelled(
    tool: TaskTool, fake: Fake, hang_in: str, text: str, agent_id: str
) -> None:
    fake.hang_in = hang_in
    call = asyncio.create_task(tool.execute(CALL))
    await fake.waiting.wait()
    fake.aborts[0].abort(cancelled("user"))
    result = await call
    assert (result.llm_content, result.error) == (text, ToolError(text, "EXECUTION_FAILED"))
    assert (metadata(result)["cancelled"], metadata(result)["agentId"]) == (True, agent_id)


async def test_two_overlapping_launches_cannot_pass_a_limit_of_one(
    tool: TaskTool, fake: Fake, manager: AsyncTaskManager
) -> None:
    manager.set_max_async_tasks(1)
    fake.hang_in = "launch"
    first = asyncio.create_task(tool.execute({**CALL, "async": True}))
    await fake.waiting.wait()
    second = await tool.execute({**CALL, "async": True})
    assert second.return_display == "Max async tasks (1) reached"
    fake.aborts[0].abort()
    assert (await first).error is not None


async def test_thirty_simultaneous_calls_with_a_limit_of_three_start_three(
    manager: AsyncTaskManager, runs: BackgroundRuns
) -> None:
    manager.set_max_async_tasks(3)
    numbers = iter(range(30))

    def create() -> Fake:
        fake = Fake()
        fake.agent_id, fake.hang_in = f"agent-{next(numbers)}", "run"
        return fake

    tool = TaskTool(create, lambda: manager, background=runs)
    results = await asyncio.gather(*(tool.execute({**CALL, "async": True}) for _ in range(30)))
    assert sum(result.error is None for result in results) == 3
    assert len(manager.get_running_tasks()) == 3


@pytest.mark.parametrize("limits", [(0, 1800), (900, -2), (math.nan, 1800)])
def test_time_limits_that_are_none_are_refused_when_built(limits: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"Invalid asyncTasks\."):
        TaskTool(Fake, None, *limits)


def test_the_declaration_names_every_parameter(tool: TaskTool) -> None:
    schema = tool.parameter_schema
    assert (tool.name, schema["required"]) == ("task", ["subagent_name", "goal_prompt"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["async"] == {
        "type": "boolean",
        "description": "If true, launch subagent in background and return immediately. Default: false.",
    }
    assert tool.describe(CALL) == "Run subagent 'scout' to accomplish: look around"


async def test_a_tool_of_its_own_ends_its_runs(fake: Fake, manager: AsyncTaskManager) -> None:
    fake.hang_in = "run"
    tool = TaskTool(lambda: fake, lambda: manager)
    await tool.execute({**CALL, "async": True})
    await tool.aclose(1)
    assert (await ended(manager), fake.disposals) == ("failed", 1)
