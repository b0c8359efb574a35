"""Turn an agent's reports that it compacts its context into `log` events.

Source: `compaction_update` and `compaction_summary_chunk` of the protocol, which codex-acp 2.6 and
claude-agent-acp 0.101 send to clients that announce `session.compaction`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.subagents.runners.acp.updates.notices import Event, log

COMPACTION = frozenset({"compaction_update", "compaction_summary_chunk"})
"""The kinds of these updates."""
_WORDS = {
    "in_progress": "The agent is compacting its context.",
    "completed": "The agent compacted its context.",
    "failed": "The agent could not compact its context.",
    "cancelled": "The agent stopped compacting its context.",
}
_SUMMARY_CHARS = 8_000
"""The most of a summary that is kept until its compaction ends."""


class Compactions:
    """The compactions of one session, one at a time. Each is logged at its start and at its end."""

    def __init__(self) -> None:
        self._id: object = None
        self._status: str | None = None
        self._summary = ""

    def take(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of an update, which may repeat a status with more members."""
        if update.get("compactionId") != self._id:
            self._id, self._status, self._summary = update.get("compactionId"), None, ""
        if update.get("sessionUpdate") == "compaction_summary_chunk":
            self._summary = (self._summary + _text(update.get("content")))[:_SUMMARY_CHARS]
            return
        status = str(update.get("status"))
        if status == self._status:
            return
        self._status = status
        parts = update.get("summary")
        texts = [_text(part) for part in parts] if isinstance(parts, list) else []
        summary = "".join(texts) or self._summary
        yield log(" ".join(filter(None, (_words(status), _error(update), summary.strip()))))


def _words(status: str) -> str:
    return _WORDS.get(status, f"The agent reports a compaction of its context: {status}.")


def _error(update: Mapping[str, Any]) -> str:
    error = update.get("error")
    return error if isinstance(error, str) else ""


def _text(content: Any) -> str:
    text = content.get("text") if isinstance(content, Mapping) else None
    return text if isinstance(text, str) else ""
