"""Detect whether the model answered the last tool result. A fold without I/O."""

from typing import Any


class LastAnswer:
    """Follow a turn of an agent that reports the size of each answer during the turn.

    Some models end a turn with an empty answer after a tool result. An empty answer has tokens; a missing one
    has none. If an agent reports no sizes during its turns, the answer is never considered missing.
    """

    def __init__(self) -> None:
        self._has_reported = False
        self._has_text = self._has_ended = self._is_counted = False

    @property
    def is_missing(self) -> bool:
        """Whether the last tool result was followed by neither text, another call nor a size."""
        silent = self._has_ended and not self._has_text and not self._is_counted
        return self._has_reported and silent

    def begin_turn(self) -> None:
        """Reset the state of the previous turn."""
        self._has_reported = False
        self._has_text = self._has_ended = self._is_counted = False

    def take(self, event: dict[str, Any]) -> None:
        """Process one event. Text counts from the start of the last call, since some calls end late."""
        match event["type"]:
            case "message" | "thought" if event["text"].strip():
                self._has_text = True
            case "tool" if event["status"] == "started":
                self._has_text = self._has_ended = self._is_counted = False
            case "tool":
                self._has_ended, self._is_counted = True, False

    def count(self) -> None:
        """Record that the agent reported the size of an answer."""
        self._has_reported = self._is_counted = True
