"""Which prompt an agent gets when one of its turns has ended: a state machine without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.contract import enqueue_message
from sidecar.subagents.runners.output import output_blocks

_CONTINUE = (
    "{reason} Nobody can be asked. Do what can be done without it; if the goal cannot be reached so, "
    "say what is missing."
)
_LAST_TURN = (
    "The limit of this run is reached, and this is your last turn. Use no more tools. Say in a few sentences "
    "what is done and what is left."
)
_TOOLS = "Use only these tools: {names}. Permission to use any other tool is refused."
_NO_TOOLS = "Use no tools; permission to use one is refused."


@dataclass(frozen=True)
class TurnEnd:
    """How a turn ended: the protocol's stop reason, the missing outputs, why a rule refused a request."""

    stop_reason: str
    missing: Sequence[str] = ()
    refusal: str | None = None


@dataclass(frozen=True)
class Prompt:
    """One prompt to an agent: written by the sidecar, or by a client (`by_user`)."""

    text: str
    by_user: bool = False
    is_last: bool = False
    asks_for_outputs: bool = False


class Dialogue:
    """Passes on messages, asks once for missing outputs, and explains a refusal once.

    It ends when there is no further prompt, or with a last turn.
    """

    def __init__(self) -> None:
        self.is_over = False
        """Whether the agent gets no further prompt."""
        self._sent: list[str] = []
        self._has_told_of_refusal = False
        self._has_asked_for_outputs = False
        self._last: Prompt | None = None

    def send(self, text: str) -> bool:
        """Queue `text` as the prompt after this turn; False if there is none any more. Raises Overloaded."""
        if self.is_over or self._last is not None:
            return False
        enqueue_message(self._sent, text)
        return True

    def wind_up(self, missing: Sequence[str]) -> None:
        """Make the next prompt the last one: hand over what is missing, and sum up."""
        asked = [output_blocks.reminder(missing)] if missing else []
        self._last = Prompt("\n\n".join([_LAST_TURN, *asked]), is_last=True)

    def after(self, end: TurnEnd) -> Prompt | None:
        """Return the prompt that follows a turn; None at the end of the dialogue."""
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
            return Prompt(_CONTINUE.format(reason=end.refusal))
        if end.missing and not self._has_asked_for_outputs:
            self._has_asked_for_outputs = True
            return Prompt(output_blocks.reminder(end.missing), asks_for_outputs=True)
        return None


def first_prompt(prompt: str, outputs: Mapping[str, str], tools: ToolRule | None) -> str:
    """Return a run's prompt with the tools it may use and the outputs it has to give."""
    parts = [prompt]
    if tools is not None:
        names = ", ".join(tools.names)
        parts.append(_TOOLS.format(names=names) if names else _NO_TOOLS)
    if outputs:
        parts.append(output_blocks.request(outputs))
    return "\n\n".join(parts)
