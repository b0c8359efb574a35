"""Questions of agents and what was answered for good: `asyncTasks/answer`, `permissions/*`."""

from typing import Literal

from sidecar.api.base import Params, Record


class AnswerParams(Params, kw_only=True):
    """Parameters of `asyncTasks/answer`: one of the options of a task's open question."""

    task_id: str
    request_id: str
    option_id: str


class RememberedPermission(Record, kw_only=True):
    """What was decided "always" for one subagent in one workspace.

    With `subject` (a command line, a title) it holds for exactly that; without, for all of its kind, edits
    inside the workspace only.
    """

    id: str
    subagent_name: str
    workspace_dir: str
    tool_kind: str
    subject: str | None = None
    decision: Literal["allow", "deny"]
    title: str
    remembered_at: int


class PermissionsResult(Record, kw_only=True):
    """The answer of `permissions/list`, oldest first."""

    items: list[RememberedPermission]
    revision: int


class RevokeParams(Params, kw_only=True):
    """Parameters of `permissions/revoke`."""

    permission_ids: list[str]


class RevokeResult(Record, kw_only=True):
    """The ids that were remembered until now."""

    revoked: list[str]
    revision: int
