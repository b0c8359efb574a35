"""Subagent definitions as the wire shows them, and the parameters of `subagents/*`."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.permissions import Policy


class SubagentSource(Record, kw_only=True):
    """The file a definition was read from, and which level of precedence it has.

    `level` is settings, workspace or user. `format` is the tool in whose format the file is: claude, copilot,
    gemini, codex, cursor or llxprt; absent for the sidecar's own.
    """

    path: str
    level: str
    format: str | None = None


class SubagentInfo(Record, kw_only=True):
    """One subagent definition as a client sees it: what its file asks for, and what it gets.

    `permissions` is the policy the file asks for. `approval` comes with one that is wider than
    `permissions.default` and does not count, because the workspace brought the file: runs use the default
    until the user adds this text to the setting `agents.approved`. `shadows` is the path of the user's own
    definition of this name that this one hides; `shadowed_by` the path of the one that hides this one.
    `max_turns` and `timeout_seconds` are -1 for no limit.
    """

    name: str
    description: str
    runner: str
    model: str | None = None
    tools: list[str] | None = None
    permissions: Policy | None = None
    approval: str | None = None
    max_turns: int | None = None
    timeout_seconds: int | float | None = None
    isolation: Literal["none", "worktree"] | None = None
    source: SubagentSource
    shadows: str | None = None
    shadowed_by: str | None = None


class DefinitionProblem(Record, kw_only=True):
    """Why a definition file, or a line of it, was not taken."""

    path: str
    line: int | None = None
    message: str


class SubagentsResult(Record, kw_only=True):
    """The answer of `subagents/list`."""

    items: list[SubagentInfo]
    problems: list[DefinitionProblem]


class ValidateParams(Params, kw_only=True):
    """Parameters of `subagents/validate`.

    `paths` are absolute paths of files and directories, each read in the format of its place or suffix;
    without them everything that `subagents/list` reads is checked.
    """

    paths: list[str] | None = None


class SubagentsDidChange(Record, kw_only=True):
    """Definitions may have changed: ask `subagents/list` again."""

    revision: int
