"""Questions of agents and remembered answers: `asyncTasks/answer`, `permissions/*`."""

from typing import Literal

from sidecar.api.base import Params, Record

Policy = Literal["ask", "allowReads", "allowEdits", "allowAll", "deny"]
"""What an agent may do without asking a person."""
Coverage = Literal["command", "paths", "reads", "host", "call"]
"""What an "always" names: a command line, files, reads in the workspace, a host, or one exact call."""


class AnswerParams(Params, kw_only=True):
    """Parameters of `asyncTasks/answer`: one of the options of a task's open question."""

    task_id: str
    request_id: str
    """The `requestId` of the task's `attention`."""
    option_id: str
    """The `optionId` of the chosen option."""


class RememberedPermission(Record, kw_only=True):
    """What was decided "always" for one subagent in one workspace.

    It holds for questions of the same `tool_kind`, `covers` and `subject`; `scope` says the same in plain
    words. Without `covers` it was remembered by an earlier version, more broadly: a refusal still holds, a
    permission no longer does. `definition` names the file of the workspace that defined the subagent, with
    its content, as `agents.approved` does; a permission holds for that file only, and one without
    `definition` for the user's own definitions only. A refusal holds for every subagent of the name.
    """

    id: str
    """Pass it to `permissions/revoke`."""
    subagent_name: str
    """The subagent that it holds for."""
    definition: str | None = None
    """The workspace file that it holds for, as in `agents.approved`. Absent: the user's own definitions."""
    workspace_dir: str
    """The workspace that it holds in."""
    tool_kind: str
    """The kind of tool."""
    covers: Coverage | None = None
    """What it names. Absent if an earlier version remembered it."""
    subject: str | None = None
    """The exact command, path, host or call."""
    scope: str | None = None
    """What it covers, in words."""
    decision: Literal["allow", "deny"]
    """What was decided."""
    title: str
    """The request that was answered."""
    remembered_at: int
    """When, in ms since the epoch."""


class PermissionsResult(Record, kw_only=True):
    """The answer of `permissions/list`, oldest first."""

    items: list[RememberedPermission]
    """Remembered permissions, oldest first."""
    revision: int


class RevokeParams(Params, kw_only=True):
    """Parameters of `permissions/revoke`."""

    permission_ids: list[str]
    """Ids of remembered permissions."""


class RevokeResult(Record, kw_only=True):
    """The ids that were remembered until now."""

    revoked: list[str]
    """The ids that were remembered until now."""
    revision: int
