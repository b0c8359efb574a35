"""Check launch parameters in the same way for every caller."""

import sys
from pathlib import Path

from sidecar.api.runs.launches import LaunchParams
from sidecar.javascript.printing import js_number
from sidecar.subagents.agent_text import InvalidParameter, require_whole
from sidecar.subagents.permissions.tool_rule import first_problem
from sidecar.subagents.tasks.timeouts import NONE, seconds_problem

MAX_NAME = 200
"""The longest name of a model, mode or effort."""


def check_launch(params: LaunchParams) -> None:
    """Raise InvalidParameter for the first parameter that no launch accepts."""
    if not params.goal_prompt.strip():
        raise InvalidParameter("goalPrompt", "is blank; describe what the subagent should achieve")
    for member, given in (
        ("goalPrompt", params.goal_prompt),
        ("behaviourPrompts", params.behaviour_prompts),
        ("expectedOutputs", params.expected_outputs),
    ):
        require_whole(member, given)  # the prompt escapes what is in `context`
    timeout, grace, turns = params.timeout_seconds, params.grace_period_seconds, params.max_turns
    if timeout is not None and (problem := seconds_problem(timeout)) is not None:
        raise InvalidParameter("timeoutSeconds", problem)
    if grace is not None and grace != NONE and not 0 <= grace <= sys.float_info.max:
        raise InvalidParameter(
            "gracePeriodSeconds",
            f"{js_number(grace)}. Give -1 for none, or a finite number of seconds, 0 or more.",
        )
    if turns is not None and turns != NONE and turns < 1:
        raise InvalidParameter("maxTurns", f"{turns}. Give -1 for no limit, or a whole number of at least 1.")
    for name in ("model", "mode", "effort"):
        _check_name(name, getattr(params, name))
    for path in params.additional_directories or ():
        if not Path(path).is_absolute():
            raise InvalidParameter("additionalDirectories", f"{path!r} is not an absolute path")
    tool_problem = first_problem(params.tool_whitelist or ())
    if tool_problem is not None:
        raise InvalidParameter("toolWhitelist", tool_problem)
    if any(not name.strip() for name in params.expected_outputs or ()):
        raise InvalidParameter("expectedOutputs", "a name is blank; name each output")


def _check_name(parameter: str, value: str | None) -> None:
    if value is not None and not (value.strip() and value.isprintable() and len(value) <= MAX_NAME):
        raise InvalidParameter(parameter, f"give 1 to {MAX_NAME} printable characters, or omit it")
