"""Permission requests and remembered answers: `asyncTasks/answer`, `permissions/*`."""

from typing import Any, Literal

from sidecar.api.base import Params, Record
from sidecar.api.runs.questions import QuestionAction

Policy = Literal["ask", "allowReads", "allowEdits", "allowAll", "deny"]
"""What an agent may do without asking a person."""
Coverage = Literal["command", "paths", "reads", "host", "call"]
"""What an "always" names: a command line, files, reads in the workspace, a host, or one exact call."""


class AnswerParams(Params, kw_only=True):
    """Parameters of `asyncTasks/answer`: the answer to a task's open permission request or question.

    A permission request takes one of its options by `option_id`, a question an `action`.
    """

    task_id: str
    request_id: str
    """The `requestId` of the task's `attention`."""
    option_id: str | None = None
    """The `optionId` of the chosen option."""
    action: QuestionAction | None = None
    """What to do with a question."""
    content: dict[str, Any] | None = None
    """The values of the form, for `accept` only. The default of a required field applies if it is absent."""


class RememberedPermission(Record, kw_only=True):
    """What was decided "always" for one subagent in one workspace.

    It applies to requests with the same `tool_kind`, `covers` and `subject`; `scope` describes this in plain
    words. Without `covers` an earlier version remembered it, more broadly: a refusal still applies, a
    permission does not. `definition` identifies the workspace file that defined the subagent, with its
    content, as `agents.approved` does; a permission applies to that file only, and one without
    `definition` to the user's own definitions only. A refusal applies to every subagent of the name.
    """

    id: str
    """Pass it to `permissions/revoke`."""
    subagent_name: str
    """The subagent that it applies to."""
    definition: str | None = None
    """The workspace file that it applies to, as in `agents.approved`. Absent: the user's own definitions."""
    workspace_dir: str
    """The workspace that it applies to."""
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
    """The IDs that were remembered until now."""

    revoked: list[str]
    """The IDs that were remembered until now."""
    revision: int
