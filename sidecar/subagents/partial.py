"""What a run has produced so far, folded from its events."""

from typing import Any

from sidecar.api.async_tasks import PartialResult

LAST_MESSAGE_CHARS = 32 * 1024
"""How much of the newest message is kept: as much as a final message may have."""


class PartialFold:
    """Keep the newest message or result, every emitted variable and the files that tools have changed."""

    def __init__(self) -> None:
        self._emitted: dict[str, Any] = {}
        self._message_id: object = None
        self._message = ""
        self._changing: dict[str, list[str]] = {}
        self._touched: dict[str, None] = {}

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        if event["type"] == "emit":
            self._emitted[event["name"]] = event["value"]
        elif event["type"] == "tool":
            self._take_tool(event)
        elif event["type"] in ("message", "result"):
            message_id = event.get("messageId")
            goes_on = event["type"] == "message" and message_id == self._message_id
            self._message = ((self._message if goes_on else "") + event["text"])[-LAST_MESSAGE_CHARS:]
            self._message_id = message_id

    def result(self) -> PartialResult:
        """Return what there is now."""
        message = self._message.strip("\n")
        return PartialResult(
            final_message=message or None, emitted_vars=dict(self._emitted), touched_files=[*self._touched]
        )

    def _take_tool(self, event: dict[str, Any]) -> None:
        """Note the paths of a call's diffs once it has completed."""
        call_id, paths = str(event.get("toolCallId")), _changed_paths(event)
        if paths:
            self._changing[call_id] = paths
        if event.get("status") == "completed":
            self._touched.update(dict.fromkeys(self._changing.pop(call_id, [])))
        elif event.get("status") == "failed":
            self._changing.pop(call_id, None)


def _changed_paths(event: dict[str, Any]) -> list[str]:
    content = event.get("content")
    parts = content if isinstance(content, list) else []
    diffs = [part for part in parts if isinstance(part, dict) and part.get("type") == "diff"]
    return [part["path"] for part in diffs if isinstance(part.get("path"), str)]
