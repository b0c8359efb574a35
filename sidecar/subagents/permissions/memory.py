"""What a person has allowed or refused "always": for one subagent in one workspace, until it is revoked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol
from uuid import uuid4

from sidecar.api.async_tasks import AsyncTask
from sidecar.api.permissions import RememberedPermission
from sidecar.subagents.permissions.policy import EDITS, READS, all_inside
from sidecar.subagents.permissions.question import Option, Question

_ALWAYS: dict[str, Literal["allow", "deny"]] = {"allow_always": "allow", "reject_always": "deny"}
_SUBJECT_CHARS = 4_000
"""A longer command is asked for each time: nobody reads what they would allow."""


class Store(Protocol):
    """What keeps the memory; the journal does."""

    async def permissions(self) -> list[RememberedPermission]:
        """Return all of it, oldest first."""

    async def remember(self, permission: RememberedPermission) -> None:
        """Keep one more."""

    async def revoke(self, permission_ids: Sequence[str]) -> list[str]:
        """Forget some; return the ids that were kept until then."""


class PermissionMemory:
    """Answer questions that were answered for good."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def verdict(self, task: AsyncTask, question: Question) -> Literal["allow", "deny"] | None:
        """Return what was decided for good, the newest decision first; None when nothing was."""
        decided = [each for each in await self._store.permissions() if covers(each, task, question)]
        return decided[-1].decision if decided else None

    async def remember(self, task: AsyncTask, question: Question, option: Option) -> None:
        """Keep an answer that was given for good and holds for its own question; any other is for once."""
        decision = _ALWAYS.get(option.kind)
        subject = None if _is_of_a_kind(question) else question.subject
        if decision is None or len(subject or "") > _SUBJECT_CHARS:
            return
        permission = RememberedPermission(
            id=str(uuid4()),
            subagent_name=task.subagent_name,
            workspace_dir=task.workspace_dir,
            tool_kind=question.tool_kind,
            subject=subject,
            decision=decision,
            title=question.title,
            remembered_at=self._now(),
        )
        if covers(permission, task, question):
            await self._store.remember(permission)


def covers(permission: RememberedPermission, task: AsyncTask, question: Question) -> bool:
    """Tell whether a decision holds for a question: reads and edits by kind, all else word for word.

    An edit outside the workspace is never allowed by one inside.
    """
    whose = (permission.subagent_name, permission.workspace_dir, permission.tool_kind)
    if whose != (task.subagent_name, task.workspace_dir, question.tool_kind):
        return False
    if permission.subject is not None:
        return permission.subject == question.subject
    inside = all_inside(question.paths, Path(task.workspace_dir))
    return permission.decision == "deny" or question.tool_kind in READS or inside


def _is_of_a_kind(question: Question) -> bool:
    return question.tool_kind in READS or question.tool_kind in EDITS
