"""Limit the model requests of an agent's last turn, in which it writes a summary."""

from typing import Any

from sidecar.subagents.fold.turns import Turns

MODEL_REQUESTS = 2
"""How many model requests the agent may make in its last turn."""


class LastTurn:
    """Count the model requests of a last turn from its events."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._is_over = False

    def take(self, event: dict[str, Any]) -> bool:
        """Process one event. Return True, once, when the turn has to end.

        A tool call in the second answer exceeds the limit because its result requires a third request.
        """
        self._turns.take(event)
        begins_tool = event["type"] == "tool" and event.get("status") == "started"
        answers = self._turns.count + (begins_tool and self._turns.count >= MODEL_REQUESTS)
        if self._is_over or answers <= MODEL_REQUESTS:
            return False
        self._is_over = True
        return True
