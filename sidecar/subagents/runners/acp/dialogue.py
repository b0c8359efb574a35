"""What an agent is told next, whenever one of its turns has ended: a state machine without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.contract import enqueue_message
from sidecar.subagents.runners.output import output_blocks

_GO_ON = (
    "{reason} Nobody can be asked. Do what can be done without it; if the goal cannot be reached so, "
    "say what is missing."
)
_LAST_TURN = (
    "The limit of this run is reached, and this is your last turn. Use no more tools. Say in a few sentences "
    "what is done and what is left."
)
_TOOLS = "Use only these tools: {names}. Leave to use any other is refused."
_NO_TOOLS = "Use no tools; leave to use one is refused."


@dataclass(frozen=True)
class TurnEnd:
    """How a turn ended: the protocol's word, the outputs still missing, why a rule silenced the agent."""

    stop_reason: str
    missing: Sequence[str] = ()
    refusal: str | None = None


@dataclass(frozen=True)
class Prompt:
    """What an agent is told: by the sidecar, or in the words of a client that sent them."""

    text: str
    by_user: bool = False
    is_last: bool = False
    asks_for_outputs: bool = False


class Dialogue:
    """Passes on what is sent, asks once for outputs, tells once of a refusal.

    It closes when nothing is left to say, or with a last turn.
    """

    def __init__(self) -> None:
        self.is_over = False
        """Whether nothing more is said to the agent."""
        self._sent: list[str] = []
        self._has_told_of_refusal = False
        self._has_asked_for_outputs = False
        self._last: Prompt | None = None

    def send(self, text: str) -> bool:
        """Have the agent told `text` after its turn; False if it is told nothing more. Raises Overloaded."""
        if self.is_over or self._last is not None:
            return False
        enqueue_message(self._sent, text)
        return True

    def wind_up(self, missing: Sequence[str]) -> None:
        """Have the next that the agent is told be the last: to hand over what is missing, and sum up."""
        asked = [output_blocks.reminder(missing)] if missing else []
        self._last = Prompt("\n\n".join([_LAST_TURN, *asked]), is_last=True)

    def after(self, end: TurnEnd) -> Prompt | None:
        """Return what the agent is told after a turn; None at the end of the dialogue."""
        prompt = None if self.is_over else self._after(end)
        self.is_over = prompt is None or prompt is self._last
        return prompt

    def _after(self, end: TurnEnd) -> Prompt | None:
        if self._last is not None:
            return self._last
        if self._sent:
            return Prompt(self._sent.pop(0), by_user=True)
        if end.stop_reason != "end_turn":
            return None
        if end.refusal is not None and not self._has_told_of_refusal:
            self._has_told_of_refusal = True
            return Prompt(_GO_ON.format(reason=end.refusal))
        if end.missing and not self._has_asked_for_outputs:
            self._has_asked_for_outputs = True
            return Prompt(output_blocks.reminder(end.missing), asks_for_outputs=True)
        return None


def first_prompt(prompt: str, outputs: Mapping[str, str], tools: ToolRule | None) -> str:
    """Return a run's prompt with what an agent has to know of its terms."""
    parts = [prompt]
    if tools is not None:
        names = ", ".join(tools.names)
        parts.append(_TOOLS.format(names=names) if names else _NO_TOOLS)
    if outputs:
        parts.append(output_blocks.request(outputs))
    return "\n\n".join(parts)
