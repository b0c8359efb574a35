"""The constraints of a run, such as turns, tools and outputs, and which runner supports them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sidecar.api.runs.launches import LaunchParams
from sidecar.subagents.permissions.tool_rule import ToolRule, delegated
from sidecar.subagents.tasks.timeouts import NONE

if TYPE_CHECKING:
    from sidecar.subagents.definitions import Definition

RunnerOption = Literal[
    "expectedOutputs",
    "toolWhitelist",
    "maxTurns",
    "model",
    "mode",
    "effort",
    "additionalDirectories",
    "attachments",
]
"""A launch parameter that not every runner supports, by its name on the wire."""


@dataclass(frozen=True, kw_only=True)
class RunConstraints:
    """The limits and the expected outputs of a run.

    `expected_outputs` maps names to descriptions. `max_turns` is None without a limit, `grace_seconds` 0
    without a last turn, and `tools` None if all are allowed.
    """

    expected_outputs: Mapping[str, str] = field(default_factory=dict)
    max_turns: int | None = None
    grace_seconds: float = 0
    tools: ToolRule | None = None


def constraints_of(params: LaunchParams, definition: "Definition", grace_seconds: float) -> RunConstraints:
    """Return the constraints of a run; the launch overrides its definition and the settings."""
    max_turns = definition.max_turns if params.max_turns is None else params.max_turns
    grace = grace_seconds if params.grace_period_seconds is None else params.grace_period_seconds
    return RunConstraints(
        expected_outputs=params.expected_outputs or {},
        max_turns=None if max_turns == NONE else max_turns,
        grace_seconds=max(0, grace),
        tools=_tool_rule(params.tool_whitelist, definition),
    )


def first_unsupported(
    params: LaunchParams, unsupported: Mapping[RunnerOption, str]
) -> tuple[RunnerOption, str] | None:
    """Return the first parameter of a launch that its runner does not support, and the runner's reason."""
    given: dict[RunnerOption, bool] = {
        "expectedOutputs": params.expected_outputs is not None,
        "toolWhitelist": params.tool_whitelist is not None,
        "maxTurns": params.max_turns not in (None, NONE),
        "model": params.model is not None,
        "mode": params.mode is not None,
        "effort": params.effort is not None,
        "additionalDirectories": bool(params.additional_directories),
        "attachments": bool(params.attachments),
    }
    options = (option for option, is_given in given.items() if is_given and option in unsupported)
    return next(((option, unsupported[option]) for option in options), None)


def _tool_rule(whitelist: list[str] | None, definition: "Definition") -> ToolRule | None:
    lists = [] if definition.tools is None else [tuple(delegated(definition.tools))]
    if whitelist is not None:
        lists.append(tuple(delegated(whitelist)))
    return ToolRule(tuple(lists)) if lists else None
