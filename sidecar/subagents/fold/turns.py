"""Counts the turns of an agent: the answers of its model, as far as its events show them."""

from typing import Any

_OPEN_KEPT = 1_000
"""Calls without an end; beyond this all are assumed to have ended."""


class Turns:
    """Counts answers of the model.

    A turn begins with the first message, thought or tool call of a run, with the first one after a tool call
    has ended, and with every further message.
    """

    def __init__(self) -> None:
        self.count = 0
        self._tool_ended = False
        self._message_id: object = None
        self._open: set[str] = set()

    def take(self, event: dict[str, Any]) -> None:
        """Add a message of the agent, a thought, or a step of a tool call."""
        match event["type"]:
            case "message" if event.get("role") != "user":
                self._message(event.get("messageId"))
            case "thought":
                self._act()
            case "tool":
                self._tool(str(event.get("toolCallId", "")), event.get("status"))

    def _message(self, message_id: object) -> None:
        another = self._message_id is not None and message_id != self._message_id
        self._act(begins=another)
        self._message_id = message_id

    def _tool(self, call_id: str, status: object) -> None:
        if status != "started":
            self._open.discard(call_id)
            self._tool_ended = True
            return
        if call_id and call_id in self._open:
            return
        self._act()
        if len(self._open) >= _OPEN_KEPT:
            self._open.clear()
        self._open.add(call_id)

    def _act(self, *, begins: bool = False) -> None:
        if self.count and not self._tool_ended and not begins:
            return
        self.count += 1
        self._tool_ended = False
        self._message_id = None
