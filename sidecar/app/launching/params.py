"""The parameters of a client's launch: checked, and turned into what an orchestrator is asked for."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.async_tasks import LaunchParams
from sidecar.api.errors import InvalidParams
from sidecar.rpc.integers import MAX_INTEGER
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.terms import unkept
from sidecar.subagents.permissions.tool_rule import delegated, first_fault
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.tasks.launching import LaunchRequest
from sidecar.subagents.tasks.timeouts import NONE, TimeoutChoice
from sidecar.tools.task_params import TaskParams, launch_request


def check(params: LaunchParams) -> None:
    """Raise InvalidParams naming the first parameter that is wrong whatever is launched."""
    if not params.goal_prompt.strip():
        raise InvalidParams("goalPrompt: is blank; say what the subagent is to achieve")
    grace, turns = params.grace_period_seconds, params.max_turns
    if grace is not None and grace != NONE and not 0 <= grace < float("inf"):
        raise InvalidParams(
            f"gracePeriodSeconds: {grace} is neither a number of seconds, 0 or more, nor -1 for none"
        )
    if turns is not None and turns != NONE and not 1 <= turns <= MAX_INTEGER:
        raise InvalidParams(f"maxTurns: {turns} is not between 1 and {MAX_INTEGER}; -1 means no limit")
    not_understood = first_fault(params.tool_whitelist or ())
    if not_understood is not None:
        raise InvalidParams(f"toolWhitelist: {not_understood}")
    if any(not name.strip() for name in params.expected_outputs or ()):
        raise InvalidParams("expectedOutputs: a name is blank; name each output")


def request_of(params: LaunchParams, timeout: TimeoutChoice) -> LaunchRequest:
    """Return the request of a checked launch, in the shape that the model's tool makes."""
    tools = params.tool_whitelist
    return launch_request(
        TaskParams(
            subagent_name=params.subagent_name,
            goal_prompt=params.goal_prompt,
            behaviour_prompts=[params.goal_prompt, *(params.behaviour_prompts or [])],
            tool_whitelist=None if tools is None else delegated(tools),
            expected_outputs=params.expected_outputs,
            grace_period_seconds=params.grace_period_seconds,
            max_turns=params.max_turns,
        ),
        timeout,
    )


def check_runner(request: LaunchRequest, runner: Runner) -> None:
    """Raise InvalidParams naming a parameter that the runner cannot keep to, and why."""
    found = unkept(request, runner.lacks)
    if found is not None:
        term, reason = found
        raise InvalidParams(f"{term}: runner {runner.name!r} cannot keep to it: {reason}")


def again(ended: RunRecord) -> LaunchParams:
    """Return the parameters that launch an ended run once more."""
    task, request = ended.task, ended.request
    return LaunchParams(
        subagent_name=task.subagent_name,
        goal_prompt=task.goal_prompt,
        behaviour_prompts=request["behaviourPrompts"][1:],
        context=request["context"],
        expected_outputs=request.get("expectedOutputs"),
        tool_whitelist=request.get("toolWhitelist"),
        timeout_seconds=NONE if task.timeout_seconds is None else task.timeout_seconds,
        grace_period_seconds=request.get("gracePeriodSeconds"),
        max_turns=request.get("maxTurns"),
        workspace_dir=task.workspace_dir,
        parent_task_id=task.parent_task_id,
        notify_model=ended.concerns_model,
    )


def journalled(request: LaunchRequest, context: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the journal keeps of a launch: what it takes to launch it once more."""
    limits = request.run_config or {}
    given = {
        "expectedOutputs": (request.output_config or {}).get("outputs"),
        "toolWhitelist": (request.tool_config or {}).get("tools"),
        "maxTurns": limits.get("max_turns"),
        "gracePeriodSeconds": limits.get("grace_period_seconds"),
    }
    return {
        "behaviourPrompts": list(request.behaviour_prompts),
        "context": dict(context or {}),
        **{name: value for name, value in given.items() if value is not None},
    }
