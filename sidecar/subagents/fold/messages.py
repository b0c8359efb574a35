"""The messages of a run: the newest for displays and results, or all of them as they arrive."""

from typing import Any

LAST_LINE_CHARS = 200
FINAL_MESSAGE_CHARS = 32 * 1024
"""How much of the newest message is kept: the limit of a final message."""
_TAIL_CHARS = 4 * LAST_LINE_CHARS
"""How much of a message its last line is taken from: enough unless it is mostly white space."""


class Speech:
    """Keeps the newest message or result, preceded by the one that a limit cut short."""

    def __init__(self) -> None:
        self._message_id: object = None
        self._message = ""
        self._tail = ""
        self._is_cutting = False
        self._cut_short = ""

    def take(self, event: dict[str, Any]) -> None:
        """Add a piece of a message, or a result, which replaces earlier output."""
        text, message_id = str(event.get("text", "")), event.get("messageId")
        is_message = event["type"] == "message"
        continues = is_message and message_id == self._message_id
        if self._is_cutting and not continues:
            self._is_cutting, self._cut_short = False, self._message.strip("\n")
        if is_message:
            self._tail = ((self._tail if continues else "") + text[-_TAIL_CHARS:])[-_TAIL_CHARS:]
        self._message = ((self._message if continues else "") + text)[-FINAL_MESSAGE_CHARS:]
        self._message_id = message_id

    def cut_short(self) -> None:
        """Keep the current message before the next one."""
        self._is_cutting = True

    def last_line(self) -> str | None:
        """Return the end of the newest message on one line."""
        return " ".join(self._tail.split())[-LAST_LINE_CHARS:].strip() or None

    def final_message(self) -> str | None:
        """Return the newest message or result, with what was cut short before it."""
        parts = (self._cut_short, self._message.strip("\n"))
        return "\n\n".join(part for part in parts if part)[-FINAL_MESSAGE_CHARS:] or None


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
