"""Subagent definitions as the wire shows them, and the parameters of `subagents/*`."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.permissions import Policy


class SubagentSource(Record, kw_only=True):
    """The file a definition was read from, and which level of precedence it has.

    `level` is settings, workspace or user. `format` is the tool in whose format the file is: claude, copilot,
    gemini, codex, cursor or llxprt; absent for the sidecar's own.
    """

    path: str
    """The absolute path of the file."""
    level: str
    """`settings`, `workspace` or `user`."""
    format: str | None = None
    """The tool whose format the file has. Absent for the sidecar's own."""


class SubagentInfo(Record, kw_only=True):
    """One subagent definition as a client sees it: what its file asks for, and what it gets.

    `permissions` is the policy the file asks for. `approval` is present if that policy is wider
    than `permissions.default` and the file is in the workspace, so that it has no effect: runs use the
    default until the user adds this text to the setting `agents.approved`. `shadows` is the path of the
    user's own definition of this name that this one hides; `shadowed_by` the path of the one that hides
    this one. `max_turns` and `timeout_seconds` are -1 for no limit.
    """

    name: str
    """The name to launch it by."""
    description: str
    """What it is for."""
    runner: str
    """The runner that executes it."""
    unavailable: str | None = None
    """Why the runner cannot start it now and what to do. Absent if it can."""
    model: str | None = None
    """The model that it asks for."""
    mode: str | None = None
    """The mode of the agent's session that it asks for."""
    effort: str | None = None
    """The effort that it asks the model for."""
    tools: list[str] | None = None
    """The tools that it may use. Absent if it may use all."""
    permissions: Policy | None = None
    """The policy that its file asks for."""
    approval: str | None = None
    """Add this to `agents.approved` to approve a wider policy."""
    max_turns: int | None = None
    """The maximum number of model answers, -1 for no limit."""
    timeout_seconds: int | float | None = None
    """The time limit in seconds, -1 for none."""
    isolation: Literal["none", "worktree"] | None = None
    """Where its runs work."""
    placement: PlacementKind | None = None
    """Where its runs work, from its file, else from its runner. Absent if neither names a place."""
    mcp_servers: list[str] | None = None
    """The MCP servers that it names; `sidecar` stands for the sidecar's own tools. Absent if it names none;
    its agent then gets those of the settings.
    """
    source: SubagentSource
    """Where it is defined."""
    shadows: str | None = None
    """The user's own definition that this one hides."""
    shadowed_by: str | None = None
    """The definition that hides this one."""


class DefinitionProblem(Record, kw_only=True):
    """A problem in a definition file."""

    path: str
    """The absolute path of the file."""
    line: int | None = None
    """The line, from 1."""
    message: str
    """What is wrong."""


class SubagentsResult(Record, kw_only=True):
    """The answer of `subagents/list`."""

    items: list[SubagentInfo]
    """All definitions, hidden ones included."""
    problems: list[DefinitionProblem]
    """Files and lines that could not be used."""


class ValidateParams(Params, kw_only=True):
    """Parameters of `subagents/validate`.

    `paths` are absolute paths of files and directories, each read in the format of its place or suffix;
    without them everything that `subagents/list` reads is checked.
    """

    paths: list[str] | None = None
    """Absolute paths of files and folders. Default: everything that `subagents/list` reads."""


class SubagentsDidChange(Record, kw_only=True):
    """Definitions may have changed: ask `subagents/list` again."""

    revision: int
