"""Decide the permission requests of all runs by remembered permissions, by policy, or by a person."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from sidecar.api.errors import InvalidParams
from sidecar.api.runs.async_tasks import AttentionOption
from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import SettingsSource
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.open_requests import Answerers, Asker, OpenRequests
from sidecar.subagents.permissions import reached_files
from sidecar.subagents.permissions.attention import attention, event, offers, option_event
from sidecar.subagents.permissions.diff import unified
from sidecar.subagents.permissions.memory import PermissionMemory
from sidecar.subagents.permissions.policy import decide
from sidecar.subagents.permissions.question import Answer, Option, Question
from sidecar.subagents.permissions.scope import Scope, scope_of

DecidedBy = Literal["user", "policy", "remembered"]

UNATTENDED = "no client is connected that can answer, and this run may do only what its policy allows"
_BY_POLICY = "the policy of this subagent does not allow it"
_REMEMBERED = "the user has denied this permanently"
_NO_OPTIONS = "the agent offers no answer that a person could choose"


class PermissionRequester(Asker, Protocol):
    """The run that requests a permission."""

    @property
    def policy(self) -> Policy | None:
        """The policy in its definition; None for the policy in the settings."""

    @property
    def definition(self) -> str | None:
        """The workspace file that contains its definition, with its content; None for the user's own."""

    @property
    def settings(self) -> SettingsSource:
        """The settings of the client that launched the run."""


@dataclass(frozen=True)
class _Asked:
    definition: str | None
    question: Question
    scope: Scope | None
    offered: list[AttentionOption]


class PermissionBroker:
    """Decide requests, and keep those for a person open until the first answer."""

    def __init__(self, memory: PermissionMemory, clients: Answerers, requests: OpenRequests) -> None:
        self._memory = memory
        self._clients = clients
        self._requests = requests
        self._asked: dict[str, _Asked] = {}

    async def ask(self, asker: PermissionRequester, question: Question) -> Answer:
        """Return the answer to a request. Wait for a person only if a client is connected."""
        record, workspace = asker.record, Path(asker.record.task.workspace_dir)
        scope = await asyncio.to_thread(_scope, question, workspace)
        remembered = await self._memory.verdict(record.task, asker.definition, question, scope)
        if remembered is not None:
            return await self._by_rule(asker, question, remembered, "remembered", _REMEMBERED)
        settings = asker.settings.current.permissions
        verdict = await asyncio.to_thread(decide, asker.policy or settings.default, question, workspace)
        if verdict != "ask":
            return await self._by_rule(asker, question, verdict, "policy", _BY_POLICY)
        if not question.options:
            return await self._by_rule(asker, question, "deny", "policy", _NO_OPTIONS)
        if self._clients.is_attended:
            answer = await self._by_person(asker, question, scope)
            if answer is not None:
                return answer
        verdict = await asyncio.to_thread(decide, settings.unattended, question, workspace)
        return await self._by_rule(
            asker, question, "allow" if verdict == "allow" else "deny", "policy", UNATTENDED
        )

    async def refuse(self, asker: PermissionRequester, question: Question, reason: str) -> Answer:
        """Deny a request by a rule that nothing overrides; `reason` is for the agent."""
        return await self._by_rule(asker, question, "deny", "policy", reason)

    async def grant(self, asker: PermissionRequester, question: Question) -> Answer:
        """Allow a request by a rule that nothing overrides."""
        return await self._by_rule(asker, question, "allow", "policy", _BY_POLICY)

    def grants(self, record: RunRecord, request_id: str, option_id: str) -> bool:
        """Return whether an answer to an open request would allow what the run requests.

        Raises InvalidState if the request is not open.
        """
        self._requests.find(record, request_id)
        asked = self._asked.get(request_id)
        option = None if asked is None else asked.question.option(option_id)
        return option is not None and not option.kind.startswith("reject")

    async def answer(self, record: RunRecord, request_id: str, option_id: str) -> None:
        """Apply the first answer of a person, and remember an "always" that has a scope.

        Raises InvalidState if the request is not open, and InvalidParams if it does not offer the option.
        """
        waiting, asked = self._requests.find(record, request_id), self._asked.get(request_id)
        if asked is None:
            raise InvalidParams("optionId: the run asks a question without options; answer with an action")
        option = asked.question.option(option_id)
        offered = [each.option_id for each in asked.offered]
        if option is None or option_id not in offered:
            raise InvalidParams(
                f"optionId: {option_id!r} is not offered; use one of: {', '.join(map(repr, offered))}"
            )
        self._close(request_id)
        try:  # before the agent continues, so that its next request finds the permission
            await self._memory.remember(record.task, asked.definition, asked.question, asked.scope, option)
        finally:
            if not waiting.answered.done():
                waiting.answered.set_result(option)

    async def _by_rule(
        self,
        asker: PermissionRequester,
        question: Question,
        verdict: Literal["allow", "deny"],
        by: DecidedBy,
        refusal: str,
    ) -> Answer:
        allowed = verdict == "allow"
        answer = Answer(question.option_for("allow")) if allowed else Answer.denial(question, refusal)
        await asker.emit(
            {
                **event(question, asker.record.task.workspace_dir),
                "state": "answered",
                **_outcome(answer.option),
                "by": by,
            }
        )
        return answer

    async def _by_person(
        self, asker: PermissionRequester, question: Question, scope: Scope | None
    ) -> Answer | None:
        """Return the answer of a person; None once nobody is left who could answer."""
        options = offers(question, scope)
        # In a thread, since comparing large files takes a while.
        diff = await asyncio.to_thread(unified, question.changes) if question.changes else None
        shown = attention(question, options, diff, asker.record.task.workspace_dir)
        waiting = self._requests.open(asker, shown)
        self._asked[question.request_id] = _Asked(asker.definition, question, scope, options)
        try:
            offered = [option_event(each) for each in options]
            await asker.emit(
                {**event(question, asker.record.task.workspace_dir), "state": "asked", "options": offered}
            )
            self._requests.show(asker)
            if not await waiting.is_answered(self._clients):
                return None
            option: Option = waiting.answered.result()
        finally:
            self._close(question.request_id)
        await asker.emit(
            {
                **event(question, asker.record.task.workspace_dir),
                "state": "answered",
                **_outcome(option),
                "by": "user",
            }
        )
        # Some agents store "always" in rules of their own. The sidecar remembers it instead, so that the
        # user can revoke it.
        return Answer(question.once(option))

    def _close(self, request_id: str) -> None:
        self._asked.pop(request_id, None)
        self._requests.close(request_id)


def _scope(question: Question, workspace: Path) -> Scope | None:
    """Return the scope of an "always". Blocking: resolves the links of the question's files."""
    return scope_of(question, str(workspace), reached_files.inside(question, workspace))


def _outcome(option: Option | None) -> dict[str, str]:
    """Return the chosen option as members of an event; none if the agent offered no such option."""
    return {} if option is None else {"optionId": option.option_id, "kind": option.kind}
