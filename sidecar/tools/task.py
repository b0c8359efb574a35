"""The tool `task`: run a subagent in the foreground or in the background."""

from collections.abc import Callable

from sidecar.api.errors import LimitReached
from sidecar.api.model import ToolKind
from sidecar.subagents.agent_text import InvalidParameter
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.lifecycle import LaunchAborted, LaunchTimedOut
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.tools import task_texts as texts
from sidecar.tools.arguments import BadArgument, quoted, refuse, shown_text
from sidecar.tools.launches import Refused, TaskLaunch, TaskLaunches
from sidecar.tools.orchestrated import OrchestratedLaunches
from sidecar.tools.orchestrator import Orchestrator
from sidecar.tools.result import ToolResult
from sidecar.tools.task_params import SCHEMA, TaskCall, bad_argument, parse


class SubagentTool:
    """The tool `task` with any implementation of launches.

    A synchronous run ends when `execute` is cancelled, which then raises CancelledError.
    """

    name = "task"
    display_name = "Task"
    kind: ToolKind = "execute"
    description = (
        "Run a subagent on a goal. By default this waits for the result; with async it returns at once "
        "and the result is reported when the run ends."
    )
    parameter_schema = SCHEMA

    def __init__(self, launches: TaskLaunches) -> None:
        self._launches = launches

    def describe(self, arguments: object) -> str:
        """Describe a call with these arguments in one line, without those that are invalid."""
        name, goal = shown_text(arguments, "subagent_name"), shown_text(arguments, "goal_prompt")
        return f"Run subagent '{name}' to accomplish: {goal}"

    async def execute(
        self, arguments: object, update_output: Callable[[str], object] | None = None
    ) -> ToolResult:
        """Return the result of a call, even for refusals and errors.

        `update_output` is called with the ID of the run, then with the agent's text as it arrives, for a
        background run even after the result.
        """
        try:
            call = parse(arguments)
        except BadArgument as error:
            return refuse(error)
        try:
            launch = await self._launches.prepare(
                call.params, sync=not call.run_async, update_output=update_output
            )
        except InvalidParameter as error:
            return refuse(bad_argument(error))
        except Exception as error:
            return self._unprepared(call, error)
        name = call.params.subagent_name
        if call.run_async:
            return await _start(launch, name)
        return texts.with_timeout(await _run(launch, name), launch.timeout)

    def _unprepared(self, call: TaskCall, error: Exception) -> ToolResult:
        name = call.params.subagent_name
        if call.run_async:
            return texts.raised(f"Failed to launch async subagent {quoted(name)}.", error)
        result = texts.raised(f"Unable to launch subagent {quoted(name)}.", error)
        return texts.with_timeout(result, self._launches.timeout(call.params.timeout_seconds))


class TaskTool(SubagentTool):
    """Launch subagents for the model with an orchestrator.

    Time limits are in seconds, -1 for none; raises ValueError for an invalid one. `background` owns the runs;
    if it is missing, the tool creates its own, which `aclose` ends.
    """

    def __init__(
        self,
        create_orchestrator: Callable[[], Orchestrator],
        get_async_task_manager: Callable[[], AsyncTaskManager | None] | None = None,
        default_timeout_seconds: int | float = 900,
        max_timeout_seconds: int | float = 1800,
        *,
        background: BackgroundRuns | None = None,
    ) -> None:
        self._background = background or BackgroundRuns()
        get_manager = get_async_task_manager or (lambda: None)
        super().__init__(
            OrchestratedLaunches(
                create_orchestrator,
                get_manager,
                default_timeout_seconds,
                max_timeout_seconds,
                self._background,
            )
        )

    async def aclose(self, limit: float = 5.0) -> None:
        """End every run that this tool started, within about `limit` seconds."""
        await self._background.aclose(limit)


async def _run(launch: TaskLaunch, name: str) -> ToolResult:
    try:
        done = await launch.run()
    except Refused as refusal:
        return refusal.result
    except LaunchTimedOut:
        return texts.timed_out(launch.timeout)
    except LaunchAborted:
        return texts.cancelled("Task aborted during launch.")
    except Exception as error:
        return texts.raised(f"Unable to launch subagent {quoted(name)}.", error)
    return texts.finished(name, done.agent_id, done.end, launch.timeout)


async def _start(launch: TaskLaunch, name: str) -> ToolResult:
    try:
        task = await launch.start()
    except Refused as refusal:
        return refusal.result
    except LimitReached as error:
        return texts.over_limit(error.message)
    except LaunchTimedOut:
        return texts.with_timeout(texts.timed_out(launch.timeout), launch.timeout)
    except LaunchAborted:
        return texts.cancelled("Task aborted during launch.")
    except Exception as error:
        return texts.raised(f"Failed to launch async subagent {quoted(name)}.", error)
    return texts.with_timeout(texts.launched(name, task), launch.timeout)
