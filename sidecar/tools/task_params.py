"""The parameters of the tool `task`: their schema and their conversion to launch parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sidecar.api.runs.launches import LaunchParams
from sidecar.subagents.agent_text import InvalidParameter
from sidecar.subagents.permissions.tool_rule import delegated
from sidecar.subagents.runs.launch_check import check_launch
from sidecar.tools.arguments import BadArgument, check_names, quoted, text

_CAPITAL = re.compile(r"(?=[A-Z])")


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
        "goal_prompt": _string("What the subagent should achieve."),
        "behaviour_prompts": _strings("Further instructions, in addition to the goal."),
        "tool_whitelist": _strings(
            "The only tools the subagent may use, of those its definition gives; none if empty. Agents only."
        ),
        "expected_outputs": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Variables the subagent must hand over, each with a description of its value. "
            "The run fails if one of them is missing.",
        },
        "timeout_seconds": _number(
            "Time limit of the run in seconds; -1 asks for as long as the settings allow."
        ),
        "grace_period_seconds": _number(
            "Time for a last turn when the time or the turns are used up, in seconds; -1 or 0 for none."
        ),
        "max_turns": _number(
            "Maximum number of turns (answers of the subagent's model); -1 for no limit.", "integer"
        ),
        "async": {
            "type": "boolean",
            "description": "If true, launch subagent in background and return immediately. Default: false.",
        },
        "context": {"type": "object", "description": "Values for the ${name} placeholders of the prompts."},
    },
}


@dataclass(frozen=True)
class TaskCall:
    """A checked call: the launch parameters, and whether the caller waits for the end."""

    params: LaunchParams
    run_async: bool


def parse(arguments: object) -> TaskCall:
    """Check and normalize arguments. Raises BadArgument naming the first invalid one."""
    given = check_names(arguments, tuple(SCHEMA["properties"]))
    _check_required(given)
    goal = _text(given, "goal_prompt")
    whitelist = _texts(given, "tool_whitelist")
    params = LaunchParams(
        subagent_name=_text(given, "subagent_name"),
        goal_prompt=goal,
        behaviour_prompts=list(dict.fromkeys([goal, *(_texts(given, "behaviour_prompts") or ())]))[1:],
        tool_whitelist=whitelist,
        expected_outputs=_outputs(given),
        timeout_seconds=_numeric(given, "timeout_seconds"),
        grace_period_seconds=_numeric(given, "grace_period_seconds"),
        max_turns=_whole(given, "max_turns"),
        context=dict(_object(given, "context") or {}),
    )
    try:
        check_launch(params)
    except InvalidParameter as error:
        raise bad_argument(error) from None
    params.tool_whitelist = None if whitelist is None else delegated(whitelist)
    return TaskCall(params, _flag(given, "async"))


def bad_argument(error: InvalidParameter) -> BadArgument:
    """Return the problem with a launch parameter, with the parameter's name in this tool."""
    name = _CAPITAL.sub("_", error.parameter).lower()
    return BadArgument(f"Invalid {name}: {error.problem}")


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
    """Return the trimmed strings of a list without empty and repeated ones."""
    if name not in given:
        return None
    values = given[name]
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise BadArgument(f"Parameter '{name}' must be a list of strings.")
    return list(dict.fromkeys(value.strip() for value in values if value.strip()))


def _outputs(given: Mapping[str, Any]) -> dict[str, str] | None:
    outputs = _object(given, "expected_outputs")
    for key, value in (outputs or {}).items():
        if not isinstance(value, str):
            raise BadArgument(
                f"expected_outputs {quoted(key)} must be a plain string description, not {_kind(value)}."
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


def _whole(given: Mapping[str, Any], name: str) -> int | None:
    value = _numeric(given, name)
    if value is None:
        return None
    if isinstance(value, float) and not value.is_integer():
        raise BadArgument(f"Parameter '{name}' must be a whole number.")
    return int(value)
