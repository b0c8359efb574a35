"""Whether the model answered the last result of a tool: a fold without I/O."""

from typing import Any


class LastAnswer:
    """Follows a turn of an agent that reports the size of each answer while the turn runs.

    Some models end a turn with an empty answer after a tool's result. It has tokens; one that never came has
    none. Of an agent that reports no sizes inside its turns nothing can be told.
    """

    def __init__(self) -> None:
        self._has_reported = False
        self._has_spoken = self._has_ended = self._is_counted = False

    @property
    def is_missing(self) -> bool:
        """Whether nothing came after the last tool's result, neither words, another call nor a size."""
        silent = self._has_ended and not self._has_spoken and not self._is_counted
        return self._has_reported and silent

    def begin_turn(self) -> None:
        """Forget the turn before."""
        self._has_reported = False
        self._has_spoken = self._has_ended = self._is_counted = False

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event; words since the last call began count, since some calls end late."""
        match event["type"]:
            case "message" | "thought" if event["text"].strip():
                self._has_spoken = True
            case "tool" if event["status"] == "started":
                self._has_spoken = self._has_ended = self._is_counted = False
            case "tool":
                self._has_ended, self._is_counted = True, False

    def count(self) -> None:
        """Take in the report of an answer's size."""
        self._has_reported = self._is_counted = True
