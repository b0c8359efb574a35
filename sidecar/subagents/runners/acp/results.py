"""Determine the result of a turn and of a run from the stop reason and the events. No I/O."""

from collections.abc import Mapping
from typing import Any, Literal

from sidecar.subagents.runners.acp.dialogue import Prompt
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.usage import counted_nothing
from sidecar.subagents.runners.output.model_errors import ModelError

_SILENT = (
    "the agent ended its turn without text, tool calls or tokens; check its model and key, "
    "or start it in a terminal to see the cause"
)
_UNKNOWN_COMMAND = (
    "the agent ended its turn without text, tool calls or tokens; it may not know the command {command}"
)
_UNCOUNTED = "the agent counted no tokens for its answer: the model's stream was interrupted"
_TRUNCATED = "the agent's own record shows that the model's stream was interrupted during the last answer"
_NO_ANSWER = "the model did not answer the result of the last tool call, not even with an empty answer"
_REJECTED = (
    "the agent stopped after its request was rejected: {title}; "
    "resume the task with another instruction to continue"
)
_STOPPED_SHORT = {
    "max_tokens": "the agent stopped because its model reached the output limit",
    "refusal": "the agent refused to continue",
    "cancelled": "the agent reported its turn as cancelled, but the sidecar did not cancel it",
}

_COMMAND_CHARS = 100

Reason = Literal["GOAL", "ERROR", "MAX_TURNS"]


def model_error_of_turn(
    stop_reason: str,
    reply: Mapping[str, Any],
    events: SessionEvents,
    prompt: Prompt,
    *,
    is_truncated: bool = False,
    counts_answers: bool = False,
) -> ModelError | None:
    """Return the hidden model error of a turn that ended without a cancel, or None.

    `is_truncated` means that the agent's own record ends with a truncated answer. `counts_answers` means that
    the agent reports the size of every answer; other agents may end a turn with a tool call.
    """
    failure = events.failure()
    if failure is not None or stop_reason != "end_turn":
        return failure
    is_explained = events.refused is not None or prompt.asks_for_outputs
    command = _command_of(prompt.text)
    if events.is_idle and not events.usage.last_turn and not is_explained:
        return ModelError(_SILENT if command is None else _UNKNOWN_COMMAND.format(command=command), "other")
    # The agent's own commands, such as /help, use no tokens.
    if counted_nothing(reply) and command is None:
        return ModelError(_UNCOUNTED, "network")
    if is_truncated:
        return ModelError(_TRUNCATED, "network")
    if counts_answers and events.last_answer.is_missing and not is_explained:
        return ModelError(_NO_ANSWER, "network")
    return None


def _command_of(text: str) -> str | None:
    """Return the command with which a prompt begins, such as `/help`; None for other prompts."""
    word, *_ = text.split(maxsplit=1) or [""]
    return word[:_COMMAND_CHARS] if word.startswith("/") else None


def end_of_run(stop_reason: str, rejected: str | None, missing: str | None) -> tuple[Reason, str | None]:
    """Return the end reason of a run and its error.

    `rejected` is the title of a rejected request after which the agent did nothing more. `missing` is the
    error that names outputs it did not emit.
    """
    if stop_reason == "max_turn_requests":
        return "MAX_TURNS", "the agent reached its own turn limit"
    if stop_reason != "end_turn":
        return "ERROR", _STOPPED_SHORT.get(stop_reason, f"the agent stopped: {stop_reason}")
    error = missing if rejected is None else _REJECTED.format(title=rejected)
    return ("GOAL", None) if error is None else ("ERROR", error)
