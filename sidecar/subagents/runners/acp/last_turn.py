"""The bound of an agent's last turn, which is there to sum up."""

from typing import Any

from sidecar.subagents.fold.turns import Turns

MODEL_REQUESTS = 2
"""How often the agent may ask its model in its last turn."""


class LastTurn:
    """Follows the events of a last turn."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._is_over = False

    def take(self, event: dict[str, Any]) -> bool:
        """Take in one event; tell, once, that the turn has to end now.

        A tool call in the second answer counts as too much: its result would be given to a third request.
        """
        self._turns.take(event)
        begins_tool = event["type"] == "tool" and event.get("status") == "started"
        answers = self._turns.count + (begins_tool and self._turns.count >= MODEL_REQUESTS)
        if self._is_over or answers <= MODEL_REQUESTS:
            return False
        self._is_over = True
        return True
