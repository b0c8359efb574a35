"""The parts of a definition file in any format, and the definition that they describe."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sidecar.api.runs.permissions import Policy
from sidecar.api.runs.subagents import DefinitionProblem
from sidecar.subagents.equipment.server_list import ServerList


class Member(NamedTuple):
    """One top-level key. `read` returns its value or raises ValueError with the reason."""

    key: str
    line: int | None
    read: Callable[[], Any]


def given(value: Any) -> Callable[[], Any]:
    """Return a reader for a value that is already known."""
    return lambda: value


class Document(NamedTuple):
    """A parsed file; `body` is None if the syntax has none."""

    members: list[Member]
    body: str | None = None


class Malformed(Exception):
    """The file violates its syntax; `line` counts from 1 and is None if unknown."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


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
    placement: Literal["local", "ray"] | None = None
    mode: str | None = None
    effort: str | None = None
    mcp_servers: ServerList | None = None
    model_line: int | None = field(default=None, compare=False)
    digest: str = field(default="", compare=False)


class ParsedFile(NamedTuple):
    """A file's definition, None if a problem prevents it, and every problem."""

    definition: Definition | None
    problems: list[DefinitionProblem]
