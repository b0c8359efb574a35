"""The parameters of the tool `check_async_tasks`: their schema and their checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.tools.arguments import BadArgument, check_names, quoted, shortened, text

WaitMode = Literal["any", "all"]
ACTIONS = ("list", "peek", "cancel", "wait", "send")
MODES = ("any", "all")
SCOPES = ("workspace", "all")
DEFAULT_WAIT_SECONDS = 50
"""Many agents give up on a tool after a minute."""
MAX_WAIT_SECONDS = 300

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "task_id": {
            "type": "string",
            "description": "Optional task ID or unique prefix to get details for a specific task.",
        },
        "action": {
            "type": "string",
            "enum": list(ACTIONS),
            "description": "What to do: list all tasks, peek at one, cancel one, wait for ends, or send one "
            "a message. Default: peek with a task_id, list without.",
        },
        "task_ids": {
            "type": "array",
            "items": {"type": "string"},
            "description": "For wait: task IDs or unique prefixes. Default: all running tasks.",
        },
        "mode": {
            "type": "string",
            "enum": list(MODES),
            "description": "For wait: until any of the tasks has ended (default), or all.",
        },
        "timeout_seconds": {
            "type": "number",
            "minimum": 0,
            "maximum": MAX_WAIT_SECONDS,
            "description": f"For wait: how long at most (default {DEFAULT_WAIT_SECONDS}).",
        },
        "message": {
            "type": "string",
            "description": "For send: the message for the subagent, which gets it when its turn ends.",
        },
        "scope": {
            "type": "string",
            "enum": list(SCOPES),
            "description": "Whose tasks: those of this workspace (default), or all.",
        },
    },
}


@dataclass(frozen=True)
class CheckCall:
    """A checked call."""

    action: str
    task_id: str
    task_ids: tuple[str, ...]
    mode: WaitMode
    timeout_seconds: float
    message: str
    everywhere: bool


def parse(arguments: object) -> CheckCall:
    """Check arguments. Raises BadArgument naming the first invalid one."""
    given = check_names(arguments, tuple(SCHEMA["properties"]))
    task_id = text(given, "task_id") or ""
    action = _one_of(given, "action", ACTIONS, "peek" if task_id else "list")
    task_ids = _texts(given, "task_ids")
    if action == "wait" and task_id:
        task_ids = (task_id, *task_ids)
    return CheckCall(
        action=action,
        task_id=task_id,
        task_ids=task_ids,
        mode="all" if _one_of(given, "mode", MODES, "any") == "all" else "any",
        timeout_seconds=_seconds(given),
        message=text(given, "message") or "",
        everywhere=_one_of(given, "scope", SCOPES, "workspace") == "all",
    )


def _one_of(given: Mapping[str, Any], name: str, choices: tuple[str, ...], default: str) -> str:
    value = text(given, name)
    if value is None:
        return default
    if value not in choices:
        raise BadArgument(f"Parameter '{name}' must be one of {', '.join(choices)}, not {quoted(value)}.")
    return value


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = given.get(name, ())
    if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in values):
        raise BadArgument(f"Parameter '{name}' must be a list of strings.")
    return tuple(dict.fromkeys(values))


def _seconds(given: Mapping[str, Any]) -> float:
    value = given.get("timeout_seconds", DEFAULT_WAIT_SECONDS)
    # `math.isnan` raises for an integer that is too large for a double.
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise BadArgument("Parameter 'timeout_seconds' must be a number.")
    if not 0 <= value <= MAX_WAIT_SECONDS:
        raise BadArgument(
            f"Parameter 'timeout_seconds' must be from 0 to {MAX_WAIT_SECONDS}, not {shortened(value)}."
        )
    return value
