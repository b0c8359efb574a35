"""What a person allowed or refused "always": for one subagent in one workspace, until it is revoked."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol
from uuid import uuid4

from sidecar.api.async_tasks import AsyncTask
from sidecar.api.permissions import RememberedPermission
from sidecar.subagents.permissions.question import Option, Question
from sidecar.subagents.permissions.scope import Scope

_ALWAYS: dict[str, Literal["allow", "deny"]] = {"allow_always": "allow", "reject_always": "deny"}


class Store(Protocol):
    """The store of remembered permissions: the journal."""

    async def permissions(self) -> list[RememberedPermission]:
        """Return all of them, oldest first."""

    async def remember(self, permission: RememberedPermission) -> None:
        """Store one more."""

    async def revoke(self, permission_ids: Sequence[str]) -> list[str]:
        """Forget some; return the ids that were stored."""


class PermissionMemory:
    """Answer questions that were answered "always"; `now` is in ms since the epoch."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def verdict(
        self, task: AsyncTask, definition: str | None, question: Question, scope: Scope | None
    ) -> Literal["allow", "deny"] | None:
        """Return the newest decision that holds for a question and its scope; None if there is none.

        `definition` names the file that defines the subagent; None for the user's own.
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
        """Remember an "always" for what its scope names; every other answer holds once."""
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
    """Tell whether a decision holds for a question whose "always" would cover `scope`.

    A permission is for one definition: a repository may bring another of the same name.
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
    """Tell whether a decision of an earlier version holds: by kind, command or title, which is too broad.

    Only a refusal may be that broad.
    """
    named = (None, question.command, question.title)
    return permission.decision == "deny" and permission.subject in named
