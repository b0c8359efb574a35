"""The turns of an agent, counted from its events."""

from collections.abc import Callable
from typing import Any

_OPEN_KEPT = 1_000
"""Calls seen starting and not ending; beyond this all are taken to have ended unsaid."""


class TurnWatch:
    """Calls `exceeded` whenever a turn beyond `limit` begins; None allows any number.

    A turn is what an agent makes of one answer of its model, as far as its events show: one begins with the
    first word, thought or tool call of a run, with the first after a tool call has ended, and with every
    further message.
    """

    def __init__(self, limit: int | None, exceeded: Callable[[], object]) -> None:
        self.turns = 0
        self._limit = limit
        self._exceeded = exceeded
        self._tool_ended = False
        self._message_id: object = None
        self._open: set[str] = set()

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
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
        if self.turns and not self._tool_ended and not begins:
            return
        self.turns += 1
        self._tool_ended = False
        self._message_id = None
        if self._limit is not None and self.turns > self._limit:
            self._exceeded()
