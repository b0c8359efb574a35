"""The parameters of the `task` tool: their schema, their checks, and the launch request they make."""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sidecar.subagents.permissions.tool_rule import delegated, first_fault
from sidecar.subagents.tasks.launching import LaunchRequest
from sidecar.subagents.tasks.timeouts import TimeoutChoice, check_seconds
from sidecar.tools.arguments import BadArgument, check_names, text

NO_LIMIT = -1
CORE_CONTEXT = ("task_goal", "task_name", "task_behaviour_prompts")
"""Context members that describe the call itself; what else is there came from the caller."""


def _string(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _strings(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _number(description: str, type: str = "number") -> dict[str, Any]:
    return {"type": type, "description": description}


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["subagent_name", "goal_prompt"],
    "properties": {
        "subagent_name": _string("Name of the subagent to run."),
        "goal_prompt": _string("What the subagent is to achieve."),
        "behaviour_prompts": _strings("Further instructions, in addition to the goal."),
        "tool_whitelist": _strings(
            "The only tools the subagent may use, of those its definition gives; none if empty. Agents only."
        ),
        "expected_outputs": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Variables the subagent must hand over, each with a description of its value. "
            "One that is missing in the end makes the run a failure.",
        },
        "timeout_seconds": _number(
            "Time limit of the run in seconds; -1 asks for as long as the settings allow."
        ),
        "grace_period_seconds": _number(
            "Time for a last turn when the time or the turns are used up, in seconds; -1 or 0 for none."
        ),
        "max_turns": _number(
            "Largest number of turns, answers of the subagent's model; -1 for no limit.", "integer"
        ),
        "async": {
            "type": "boolean",
            "description": "If true, launch subagent in background and return immediately. Default: false.",
        },
        "context": {"type": "object", "description": "Values for the ${name} placeholders of the prompts."},
    },
}


@dataclass(frozen=True, kw_only=True)
class TaskParams:
    """Checked and normalised arguments. `behaviour_prompts` has the goal first; None means not given."""

    subagent_name: str
    goal_prompt: str
    behaviour_prompts: list[str]
    tool_whitelist: list[str] | None = None
    expected_outputs: dict[str, str] | None = None
    timeout_seconds: int | float | None = None
    grace_period_seconds: int | float | None = None
    max_turns: int | None = None
    run_async: bool = False
    context: dict[str, Any] = field(default_factory=dict)


def parse(arguments: object) -> TaskParams:
    """Check and normalise arguments; raise BadArgument naming the first that does not fit."""
    given = check_names(arguments, tuple(SCHEMA["properties"]))
    _check_required(given)
    goal = _text(given, "goal_prompt")
    return TaskParams(
        subagent_name=_text(given, "subagent_name"),
        goal_prompt=goal,
        behaviour_prompts=list(dict.fromkeys([goal, *(_texts(given, "behaviour_prompts") or ())])),
        tool_whitelist=_whitelist(given),
        expected_outputs=_outputs(given),
        timeout_seconds=_timeout(given),
        grace_period_seconds=_grace(given),
        max_turns=_turns(given),
        run_async=_flag(given, "async"),
        context=dict(_object(given, "context") or {}),
    )


def launch_request(params: TaskParams, timeout: TimeoutChoice) -> LaunchRequest:
    """Build the request for an orchestrator."""
    return LaunchRequest(
        name=params.subagent_name,
        behaviour_prompts=params.behaviour_prompts,
        run_config=_run_config(params, timeout),
        tool_config=None if params.tool_whitelist is None else {"tools": params.tool_whitelist},
        output_config=None if params.expected_outputs is None else {"outputs": params.expected_outputs},
    )


def run_context(params: TaskParams) -> dict[str, Any]:
    """Build the context of a run: the caller may replace the goal and the name, not the prompts."""
    call = {"task_goal": params.goal_prompt, "task_name": params.subagent_name}
    return call | params.context | {"task_behaviour_prompts": params.behaviour_prompts}


def _run_config(params: TaskParams, timeout: TimeoutChoice) -> dict[str, Any] | None:
    limits = {"grace_period_seconds": params.grace_period_seconds, "max_turns": params.max_turns}
    given = {name: value for name, value in limits.items() if value is not None}
    if timeout.effective is None and not given:
        return None
    minutes = math.inf if timeout.effective is None else timeout.effective / 60
    return {"max_time_minutes": minutes, **given}


def _check_required(given: Mapping[str, Any]) -> None:
    missing = [f"'{name}'" for name in SCHEMA["required"] if name not in given]
    if len(missing) == 1:
        raise BadArgument(f"Parameter {missing[0]} is required.")
    if missing:
        raise BadArgument(f"Parameters {' and '.join(missing)} are required.")


def _text(given: Mapping[str, Any], name: str) -> str:
    value = text(given, name) or ""
    if not value.strip():
        raise BadArgument(f"Parameter '{name}' must not be blank.")
    return value.strip()


def _texts(given: Mapping[str, Any], name: str) -> list[str] | None:
    """Return a list of strings, trimmed, without the empty and the repeated ones."""
    if name not in given:
        return None
    values = given[name]
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise BadArgument(f"Parameter '{name}' must be a list of strings.")
    return list(dict.fromkeys(value.strip() for value in values if value.strip()))


def _whitelist(given: Mapping[str, Any]) -> list[str] | None:
    names = _texts(given, "tool_whitelist")
    fault = first_fault(names or ())
    if fault is not None:
        raise BadArgument(f"Parameter 'tool_whitelist': {fault}.")
    return None if names is None else delegated(names)


def _outputs(given: Mapping[str, Any]) -> dict[str, str] | None:
    outputs = _object(given, "expected_outputs")
    for key, value in (outputs or {}).items():
        if not isinstance(value, str):
            raise BadArgument(
                f"expected_outputs '{key}' must be a plain string description, not {_kind(value)}."
            )
    return None if outputs is None else dict(outputs)


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "a JSON Schema object"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "null" if value is None else "a list"


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    if name not in given:
        return None
    value = given[name]
    if not isinstance(value, Mapping):
        raise BadArgument(f"Parameter '{name}' must be an object.")
    return value


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name, False)
    if not isinstance(value, bool):
        raise BadArgument(f"Parameter '{name}' must be true or false.")
    return value


def _numeric(given: Mapping[str, Any], name: str) -> int | float | None:
    if name not in given:
        return None
    value = given[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadArgument(f"Parameter '{name}' must be a number.")
    return value


def _timeout(given: Mapping[str, Any]) -> int | float | None:
    value = _numeric(given, "timeout_seconds")
    if value is None:
        return None
    try:
        check_seconds("timeout_seconds", value)
    except ValueError as error:
        raise BadArgument(str(error)) from error
    return value


def _grace(given: Mapping[str, Any]) -> int | float | None:
    value = _numeric(given, "grace_period_seconds")
    if value is not None and value != NO_LIMIT and not 0 <= value <= sys.float_info.max:
        raise BadArgument("Parameter 'grace_period_seconds' must be -1 (none) or a finite number from 0.")
    return value


def _turns(given: Mapping[str, Any]) -> int | None:
    value = _numeric(given, "max_turns")
    if value is None:
        return None
    is_whole = isinstance(value, int) or value.is_integer()
    if not is_whole or (value != NO_LIMIT and value < 1):
        raise BadArgument("Parameter 'max_turns' must be -1 (no limit) or a whole number from 1.")
    return int(value)
