"""Stream the text of a run to the caller that waits for its result."""

from typing import Any


class LiveText:
    """Convert the events of a run to text; each message starts on a new line."""

    def __init__(self) -> None:
        self._message_id: object = None
        self._ends_line = True

    def take(self, event: dict[str, Any]) -> str:
        """Return the text that an event adds; empty unless it is a message of the agent."""
        if event.get("type") != "message" or event.get("role") == "user":
            return ""
        piece = event.get("text")
        if not isinstance(piece, str) or not piece:
            return ""
        is_new = event.get("messageId") != self._message_id
        text = f"\n{piece}" if is_new and not self._ends_line else piece
        self._message_id, self._ends_line = event.get("messageId"), piece.endswith("\n")
        return text
