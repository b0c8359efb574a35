"""Remember answers with "always" for one subagent in one workspace, until they are revoked."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol
from uuid import uuid4

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.api.runs.permissions import RememberedPermission
from sidecar.subagents.permissions.question import Option, Question
from sidecar.subagents.permissions.scope import Scope

_ALWAYS: dict[str, Literal["allow", "deny"]] = {"allow_always": "allow", "reject_always": "deny"}


class Store(Protocol):
    """The store of remembered permissions: the journal."""

    async def permissions(self) -> list[RememberedPermission]:
        """Return all remembered permissions, oldest first."""

    async def remember(self, permission: RememberedPermission) -> None:
        """Store a permission."""

    async def revoke(self, permission_ids: Sequence[str]) -> list[str]:
        """Remove permissions; return the IDs that were stored."""


class PermissionMemory:
    """Answer requests from remembered permissions; `now` returns ms since the epoch."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def verdict(
        self, task: AsyncTask, definition: str | None, question: Question, scope: Scope | None
    ) -> Literal["allow", "deny"] | None:
        """Return the newest decision that applies to a question and its scope; None if there is none.

        `definition` identifies the file that defines the subagent; None for the user's own.
        """
        kept = await self._store.permissions()
        decided = [each.decision for each in kept if holds(each, task, definition, question, scope)]
        return decided[-1] if decided else None

    async def remember(
        self,
        task: AsyncTask,
        definition: str | None,
        question: Question,
        scope: Scope | None,
        option: Option,
    ) -> None:
        """Remember an "always" that has a scope; do nothing for other answers."""
        decision = _ALWAYS.get(option.kind)
        if decision is None or scope is None:
            return
        permission = RememberedPermission(
            id=str(uuid4()),
            subagent_name=task.subagent_name,
            definition=definition,
            workspace_dir=task.workspace_dir,
            tool_kind=question.tool_kind,
            covers=scope.covers,
            subject=scope.subject,
            scope=scope.words,
            decision=decision,
            title=question.title,
            remembered_at=self._now(),
        )
        await self._store.remember(permission)


def holds(
    permission: RememberedPermission,
    task: AsyncTask,
    definition: str | None,
    question: Question,
    scope: Scope | None,
) -> bool:
    """Return whether a decision applies to a question whose "always" would cover `scope`.

    An "allow" applies to one definition only: a repository may contain another one with the same name.
    """
    if permission.decision == "allow" and permission.definition != definition:
        return False
    whose = (permission.subagent_name, permission.workspace_dir, permission.tool_kind)
    if whose != (task.subagent_name, task.workspace_dir, question.tool_kind):
        return False
    if permission.covers is None:
        return _held_before(permission, question)
    return scope is not None and (permission.covers, permission.subject) == (scope.covers, scope.subject)


def _held_before(permission: RememberedPermission, question: Question) -> bool:
    """Return whether a decision of an earlier version applies.

    Earlier versions compared only the kind, command or title. That is too broad for anything but a denial.
    """
    named = (None, question.command, question.title)
    return permission.decision == "deny" and permission.subject in named
