"""Choose the next prompt when a turn of an agent ends. A state machine without I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.contract import enqueue_message
from sidecar.subagents.runners.output.output_prompts import remind_of_outputs, request_outputs

_CONTINUE = (
    "{reason} Nobody is available to answer. Do what you can without this permission. If you cannot reach "
    "the goal without it, say what is missing."
)
_LAST_TURN = (
    "This run has reached its limit, and this is your last turn. Do not use any more tools. Summarize in a "
    "few sentences what is done and what remains."
)
_TOOLS = "Use only these tools: {names}. Requests to use other tools are denied."
_NO_TOOLS = "Do not use any tools. Requests to use tools are denied."


@dataclass(frozen=True)
class TurnEnd:
    """The end of a turn: the protocol's stop reason, the missing outputs and why a rule refused a request.

    `problems` say why outputs that the agent wrote are missing.
    """

    stop_reason: str
    missing: Sequence[str] = ()
    refusal: str | None = None
    problems: Sequence[str] = ()


@dataclass(frozen=True)
class Prompt:
    """A prompt for an agent, written by the sidecar or, with `by_user`, by a client."""

    text: str
    by_user: bool = False
    is_last: bool = False
    asks_for_outputs: bool = False


class Dialogue:
    """Deliver queued messages, ask once for missing outputs, and explain once a refusal and lost outputs.

    The dialogue ends with the last turn or when there is no further prompt.
    """

    def __init__(self) -> None:
        self.is_over = False
        """Whether the agent gets no further prompt."""
        self._sent: list[str] = []
        self._has_explained_refusal = False
        self._has_asked_for_outputs = False
        self._has_explained_problems = False
        self._last: Prompt | None = None
        self._report: str | None = None

    @property
    def has_next(self) -> bool:
        """Whether the next prompt is known, or there is none."""
        return self.is_over or bool(self._sent) or self._last is not None

    def report(self, text: str) -> None:
        """Make the reminder of a subagent's end the next prompt, unless the next one is the last."""
        self._report = text

    def send(self, text: str) -> bool:
        """Queue `text` as a prompt. Return False after the dialogue has ended. Raises Overloaded."""
        if self.is_over or self._last is not None:
            return False
        enqueue_message(self._sent, text)
        return True

    def schedule_last_turn(self, missing: Sequence[str], problems: Sequence[str] = ()) -> None:
        """Make the next prompt the last one. It asks for the missing outputs and a summary."""
        asked = [remind_of_outputs(missing, problems)] if missing else []
        self._last = Prompt("\n\n".join([_LAST_TURN, *asked]), is_last=True)

    def after(self, end: TurnEnd) -> Prompt | None:
        """Return the prompt that follows a turn, or None at the end of the dialogue."""
        prompt = None if self.is_over else self._after(end)
        self.is_over = prompt is None or prompt is self._last
        return prompt

    def _after(self, end: TurnEnd) -> Prompt | None:
        if self._last is not None:
            return self._last
        if self._report is not None:
            text, self._report = self._report, None
            return Prompt(text)
        if self._sent:
            return Prompt(self._sent.pop(0), by_user=True)
        if end.stop_reason != "end_turn":
            return None
        if end.refusal is not None and not self._has_explained_refusal:
            self._has_explained_refusal = True
            return Prompt(_CONTINUE.format(reason=end.refusal))
        if end.missing and self._may_ask_for_outputs(end):
            self._has_asked_for_outputs = True
            self._has_explained_problems = self._has_explained_problems or bool(end.problems)
            return Prompt(remind_of_outputs(end.missing, end.problems), asks_for_outputs=True)
        return None

    def _may_ask_for_outputs(self, end: TurnEnd) -> bool:
        """Ask a second time only an agent that does not know yet why its outputs are missing."""
        return not self._has_asked_for_outputs or bool(end.problems and not self._has_explained_problems)


def first_prompt(prompt: str, outputs: Mapping[str, str], tools: ToolRule | None) -> str:
    """Return a run's prompt, followed by its list of tools and its expected outputs."""
    parts = [prompt]
    if tools is not None:
        names = ", ".join(tools.names)
        parts.append(_TOOLS.format(names=names) if names else _NO_TOOLS)
    if outputs:
        parts.append(request_outputs(outputs))
    return "\n\n".join(parts)
