"""Turn an agent's reports about itself into `log` events: failed requests, notices and other updates.

Sources: codex's `_meta.codex` (codex-acp 2.6), claude's SDK messages (claude-agent-acp 0.101), and the
built-in agent's `_meta.sidecar`. These reports alone never end a run.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from sidecar.subagents.runners.output.model_errors import (
    ModelError,
    asked_wait,
    error_kind,
    model_error,
    status_in,
    status_of,
)

Event = dict[str, Any]

CLAUDE_MESSAGE = "_claude/sdkMessage"
"""The notification with which claude forwards a message of its SDK."""
SESSION_META: Mapping[str, Any] = {
    "claudeCode": {
        "emitRawSDKMessages": [{"type": "system", "subtype": kind} for kind in ("api_retry", "init")]
    }
}
"""The `_meta` of the session request that makes claude report repeated requests, and at the start of a turn
its servers and tools. Other agents ignore it.
"""

_SILENT = frozenset(
    {
        "user_message_chunk",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
    }
)
"""Updates that are not logged."""
_LOG_CHARS = 4_000
_RETRY_LINES = (
    re.compile(r"Attempt (?P<attempt>\d{1,6}) failed[^\n]{0,400}"),  # gemini, with GEMINI_DEBUG_LOG_FILE
    re.compile(
        r'message="stream error"[^\n]{0,2000}error\.error="(?P<error>[^"\n]{1,400})'
    ),  # opencode's log
)
_ATTEMPT = re.compile(r"\b(\d{1,6})\s*(?:/|of)\s*\d{1,6}\b")


class Notices:
    """Process an agent's reports about itself. `failure` returns the error of the current turn."""

    def __init__(self) -> None:
        self.error: ModelError | None = None
        """The last reported error of a model request."""
        self.has_failed = False
        """Whether the agent reported the current turn as failed."""
        self._attempts = 0
        self._plan_status = "allowed"

    def begin_turn(self) -> None:
        """Reset the state of the previous turn."""
        self._attempts, self.error, self.has_failed = 0, None, False

    def failure(self, last_words: str | None) -> ModelError | None:
        """Return the error of a turn that the agent reported as failed, or None.

        If no report names the cause, it is taken from the agent's text after the failure, `last_words`.
        """
        if not self.has_failed:
            return None
        words = model_error((last_words or "").strip())
        if self.error is None or (self.error.kind == "other" and words is not None):
            return words or ModelError(last_words or "the agent reported a system error", "other")
        return self.error

    def update(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the `log` events of an update that is not text, a tool call, a plan or usage."""
        meta = update.get("_meta")
        for theirs in (_mapping(meta, "codex"), _mapping(meta, "sidecar")):
            yield from self._report(theirs)
        if update.get("sessionUpdate") not in _SILENT:
            yield log(_text_of(update))

    def usage(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield a `log` event when claude reports that a limit of the user's plan is near or reached."""
        limit = _mapping(update.get("_meta"), "_claude/rateLimit")
        status = limit.get("status")
        if status == self._plan_status or not isinstance(status, str):
            return
        self._plan_status = status
        if status != "allowed":
            state = "is reached" if status == "rejected" else "is near"
            yield log(f"the limit {limit.get('rateLimitType') or 'of the plan'} {state}")

    def claude_message(self, message: Any) -> Iterator[Event]:
        """Yield the `log` event of an SDK message in which claude reports a repeated request."""
        if not isinstance(message, Mapping) or message.get("subtype") != "api_retry":
            return
        status = message.get("error_status")
        # For an interrupted connection or stream, the status is missing and the error is "unknown".
        reason = "the connection was interrupted" if status is None else message.get("error")
        text = f"Retrying, attempt {message.get('attempt')} of {message.get('max_retries')}: {reason}"
        yield self.retrying(text, message.get("attempt"), status if isinstance(status, int) else None)

    def stderr(self, event: Event) -> Event:
        """Return a `log` event of stderr, with `retrying` if a line reports a repeated request."""
        for line in _RETRY_LINES:
            if found := line.search(event["text"]):
                named = found.groupdict()
                attempt = int(named["attempt"]) if named.get("attempt") else None
                report = self.retrying(named.get("error") or found[0], attempt)
                return {**event, "retrying": report["retrying"]}
        return event

    def retrying(self, text: str, attempt: Any = None, status: int | None = None, data: Any = None) -> Event:
        """Return the `log` event of a repeated request, and keep its error as the last one."""
        named = _ATTEMPT.search(text)
        if isinstance(attempt, int) and not isinstance(attempt, bool):
            self._attempts = attempt
        else:
            self._attempts = int(named[1]) if named else self._attempts + 1
        status = status_in(text) if status is None else status
        wait = asked_wait(text, data)
        self.error = ModelError(text, error_kind(text, status) or "other", status, wait)
        known = {"status": status, "retryAfterSeconds": wait}
        report = {"attempt": self._attempts, "text": text[:_LOG_CHARS]}
        report |= {name: value for name, value in known.items() if value is not None}
        return {**log(text), "retrying": report}

    def _report(self, theirs: Mapping[str, Any]) -> Iterator[Event]:
        status = theirs.get("threadStatus")
        word = status.get("type") if isinstance(status, Mapping) else status
        if word is not None:
            self.has_failed = word == "systemError"
        if notice := _mapping(theirs, "notice"):
            yield log(str(notice.get("text", "")))
        if retrying := _mapping(theirs, "retrying"):
            text = str(retrying.get("text") or "the agent is repeating a request")
            yield self.retrying(text, retrying.get("attempt"), status_of(retrying), retrying)
        if error := _mapping(theirs, "error"):
            text = _joined(error.get("message"), error.get("additionalDetails"))
            if error.get("willRetry"):
                yield self.retrying(text, status=status_of(error), data=error)
            else:
                self.error = model_error(text, error) or ModelError(text, "other")
                yield log(text)


def log(text: str) -> Event:
    """Return a `log` event with a line that an agent reports about itself."""
    cut = f"{text[:_LOG_CHARS]} [cut: {len(text) - _LOG_CHARS:,} more characters]"
    return {"type": "log", "stream": "agent", "text": f"{text if len(text) <= _LOG_CHARS else cut}\n"}


def notice_in(update: Mapping[str, Any]) -> str | None:
    """Return the text of a message chunk that is a notice; None for one of the model.

    claude and qwen send some notices like the model's text, and qwen what its hooks decided without a text.
    """
    meta = update.get("_meta")
    text = _mapping(update, "content").get("text")
    if hooks := _mapping(meta, "stopHookLoop"):
        reasons = hooks.get("reasons")
        named = [each for each in (reasons if isinstance(reasons, list) else []) if isinstance(each, str)]
        return ": ".join(["a stop hook lets the agent continue", *named[-1:]])
    is_claudes = _mapping(meta, "claudeCode").get("kind") == "informational"
    is_qwens = isinstance(meta, Mapping) and meta.get("source") == "vision_bridge_notice"
    return str(text or "") if is_claudes or is_qwens else None


def _text_of(update: Mapping[str, Any]) -> str:
    """Return an update's kind, followed by its text or, if it has none, by the update as JSON."""
    kind = str(update.get("sessionUpdate"))
    content = _mapping(update, "content").get("text")
    words = next(
        (
            text
            for text in (content, *map(update.get, ("text", "message", "title", "status")))
            if isinstance(text, str) and text.strip()
        ),
        None,
    )
    description = update.get("description")
    if words is not None and isinstance(description, str) and description.strip():
        words = f"{words}: {description}"
    if words is None:
        rest = {key: value for key, value in update.items() if key != "sessionUpdate"}
        words = orjson.dumps(rest).decode()
    return f"{kind}: {words}"


def _joined(*texts: Any) -> str:
    return ": ".join(text for text in texts if isinstance(text, str) and text) or "unknown error"


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}
