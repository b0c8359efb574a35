"""Questions of agents and their answers, as plain values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import Attention
from sidecar.api.runs.questions import QuestionAction, QuestionField, QuestionSchema

_SECRET = re.compile(
    r"pass(word|phrase|wd|code)|secret|token|credential|api[ _-]?key|private[ _-]?key|\bpin\b", re.IGNORECASE
)
_HIDDEN = "••••"


@dataclass(frozen=True, kw_only=True)
class AgentQuestion:
    """A question of an agent. It has a form, or the `url` that a person is asked to open."""

    request_id: str
    title: str
    message: str | None = None
    form: QuestionSchema | None = None
    url: str | None = None
    tool_call_id: str | None = None

    def attention(self) -> Attention:
        """Return the question in the form that clients show and answer."""
        return Attention(
            kind="question",
            request_id=self.request_id,
            title=self.title,
            message=self.message,
            schema=self.form,
            url=self.url,
            options=[],
        )

    def asked_event(self) -> dict[str, Any]:
        """Return the event for the question when it opens."""
        schema = None if self.form is None else msgspec.to_builtins(self.form)
        return _known(self._event("asked") | {"message": self.message, "schema": schema})

    def answered_event(self, reply: "Reply", by: str) -> dict[str, Any]:
        """Return the event for its answer, without values that seem to be secret."""
        answer = {"action": reply.action, "content": self._shown(reply.content), "by": by}
        return _known(self._event("answered") | answer | {"reason": reply.reason})

    def withdrawn_event(self) -> dict[str, Any]:
        """Return the event for a question that the agent withdrew."""
        return _known(self._event("answered"))

    def _event(self, state: str) -> dict[str, Any]:
        return {
            "type": "question",
            "requestId": self.request_id,
            "state": state,
            "title": self.title,
            "toolCallId": self.tool_call_id,
            "url": self.url,
        }

    def _shown(self, content: Mapping[str, Any] | None) -> dict[str, Any] | None:
        fields = {} if self.form is None else self.form.properties
        if content is None:
            return None
        secret = {name for name, field in fields.items() if is_secret(name, field)}
        return {name: _HIDDEN if name in secret else value for name, value in content.items()}


def is_secret(name: str, field: QuestionField) -> bool:
    """Return whether a field seems to hold a password or a key."""
    is_text = field.type == "string" and field.one_of is None
    return is_text and _SECRET.search(f"{name} {field.title or ''}") is not None


@dataclass(frozen=True)
class Reply:
    """The answer to a question. `content` comes with an accepted form, `reason` with a rule's decline."""

    action: QuestionAction
    content: Mapping[str, Any] | None = None
    reason: str | None = None


def _known(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if value is not None}
