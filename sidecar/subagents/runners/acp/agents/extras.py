"""The additions to the start of an agent, and the type of the guards that choose them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.subagents.permissions.tool_rule import ToolRule


@dataclass(frozen=True)
class Extras:
    """Additions to the start of an agent: arguments, environment, and `_meta` of the session request."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    instructions: tuple[str, ...] = ()
    """Instruction files of the workspace that the agent then does not read, relative to a folder."""


@dataclass(frozen=True)
class GuardedRun:
    """The input of a guard: a run's workspace, its list of tools, and whether its agent has to ask.

    A run whose agent does not have to ask is guarded only if its workspace is not trusted.
    """

    workspace: Path
    tools: ToolRule | None = None
    must_ask: bool = True


Guard = Callable[[GuardedRun], Extras]
"""Return the extras for a guarded run.

Raises ValueError, with the cause and the first half of the remedy, if the workspace contains something that
the agent cannot be made to ignore.
"""


def no_extras(_: GuardedRun) -> Extras:
    """Add nothing."""
    return Extras()


def merged(*metas: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep merge of the mappings, in which later values take precedence."""
    found: dict[str, Any] = {}
    for meta in metas:
        for name, value in meta.items():
            before = found.get(name)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                found[name] = merged(before, value)
            else:
                found[name] = value
    return found
