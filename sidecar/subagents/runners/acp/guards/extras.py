"""What a run adds to the start of its agent, and the shape of a guard, which decides about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.subagents.permissions.tool_rule import ToolRule


@dataclass(frozen=True)
class Extras:
    """Additions to the start of an agent: arguments, environment, `_meta` of the request for a session."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    instructions: tuple[str, ...] = ()
    """Names of the workspace's instruction files that the agent does not read then, relative to a folder."""


@dataclass(frozen=True)
class Guarded:
    """What a guard knows about a run: its workspace, its list of tools, and whether it has to ask.

    A run that does not have to ask is guarded where its workspace is not trusted.
    """

    workspace: Path
    tools: ToolRule | None = None
    must_ask: bool = True


Guard = Callable[[Guarded], Extras]
"""Returns what a guarded run is started with.

Raises ValueError, naming the cause and the first half of the remedy, where the agent has no switch against
something in the workspace.
"""


def nothing(_: Guarded) -> Extras:
    """Add nothing."""
    return Extras()


def merged(*metas: Mapping[str, Any]) -> dict[str, Any]:
    """Return mappings laid over one another, member by member where both hold a mapping."""
    found: dict[str, Any] = {}
    for meta in metas:
        for name, value in meta.items():
            before = found.get(name)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                found[name] = merged(before, value)
            else:
                found[name] = value
    return found
