"""What a launch and its definition ask of a run beside its prompt, and which runner can keep to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sidecar.subagents.permissions.tool_rule import ToolRule, delegated
from sidecar.subagents.tasks.launching import LaunchRequest
from sidecar.subagents.tasks.timeouts import NONE

if TYPE_CHECKING:
    from sidecar.subagents.definitions import Definition

Term = Literal["expectedOutputs", "toolWhitelist", "maxTurns"]
"""A launch parameter that not every runner can keep to, by its name on the wire."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a run has to keep to.

    `expected_outputs` is name to description; `max_turns` None for no limit; `grace_seconds` the time for a
    last turn, 0 for none; `tools` None for all of them.
    """

    expected_outputs: Mapping[str, str] = field(default_factory=dict)
    max_turns: int | None = None
    grace_seconds: float = 0
    tools: ToolRule | None = None


def terms_of(request: LaunchRequest, definition: "Definition", grace_seconds: float) -> Terms:
    """Return the terms of a run: what the launch says, else its definition, else the settings' grace."""
    limits = request.run_config or {}
    max_turns = limits.get("max_turns", definition.max_turns)
    return Terms(
        expected_outputs=(request.output_config or {}).get("outputs", {}),
        max_turns=None if max_turns == NONE else max_turns,
        grace_seconds=max(0, limits.get("grace_period_seconds", grace_seconds)),
        tools=_tool_rule(request, definition),
    )


def unkept(request: LaunchRequest, lacking: Mapping[Term, str]) -> tuple[Term, str] | None:
    """Return the first parameter a launch gives that its runner cannot keep to, and the runner's reason."""
    given: dict[Term, bool] = {
        "expectedOutputs": request.output_config is not None,
        "toolWhitelist": request.tool_config is not None,
        "maxTurns": (request.run_config or {}).get("max_turns", NONE) != NONE,
    }
    return next(((term, lacking[term]) for term in given if given[term] and term in lacking), None)


def _tool_rule(request: LaunchRequest, definition: "Definition") -> ToolRule | None:
    asked = request.tool_config
    lists = [] if definition.tools is None else [tuple(delegated(definition.tools))]
    if asked is not None:
        lists.append(tuple(delegated(asked["tools"])))
    return ToolRule(tuple(lists)) if lists else None
