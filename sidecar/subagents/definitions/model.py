"""A subagent definition, independent of its file format."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sidecar.api.runs.permissions import Policy
from sidecar.api.runs.subagents import DefinitionProblem


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One subagent as its file describes it.

    `max_turns` and `timeout_seconds` are -1 for no limit and None if the file does not set them. `model_line`
    is the line that names the model, for problems found later. `digest` is the SHA-256 of the file's path
    and bytes, in hex.
    """

    name: str
    description: str
    system_prompt: str
    runner: str | None = None
    model: str | None = None
    tools: tuple[str, ...] | None = None
    max_turns: int | None = None
    timeout_seconds: float | None = None
    isolation: Literal["none", "worktree"] | None = None
    permissions: Policy | None = None
    model_line: int | None = field(default=None, compare=False)
    digest: str = field(default="", compare=False)


class ParsedFile(NamedTuple):
    """A file's definition, None if a problem prevents it, and every problem."""

    definition: Definition | None
    problems: list[DefinitionProblem]
