"""What a run has produced so far, folded from its events."""

from typing import Any

from sidecar.api.async_tasks import PartialResult

LAST_MESSAGE_CHARS = 32 * 1024
"""How much of the newest message is kept: as much as a final message may have."""


class PartialFold:
    """Keep the newest message or result, and every emitted variable."""

    def __init__(self) -> None:
        self._emitted: dict[str, Any] = {}
        self._message_id: object = None
        self._message = ""

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        if event["type"] == "emit":
            self._emitted[event["name"]] = event["value"]
        elif event["type"] in ("message", "result"):
            message_id = event.get("messageId")
            goes_on = event["type"] == "message" and message_id == self._message_id
            self._message = ((self._message if goes_on else "") + event["text"])[-LAST_MESSAGE_CHARS:]
            self._message_id = message_id

    def result(self) -> PartialResult:
        """Return what there is now."""
        message = self._message.strip("\n")
        return PartialResult(
            final_message=message or None, emitted_vars=dict(self._emitted), touched_files=[]
        )
