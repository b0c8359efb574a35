"""What the end of a turn means, by the agent's own word and by what it did: pure."""

from collections.abc import Mapping
from typing import Any, Literal

from sidecar.subagents.runners.acp.dialogue import Prompt
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.usage import counted_nothing
from sidecar.subagents.runners.output.model_errors import ModelError

_SILENT = (
    "the agent ended its turn without a word, a tool call or a token; check its model and its key, "
    "and start it by hand to see why"
)
_UNCOUNTED = "the agent counted no tokens for its answer: the stream of its model broke off"
_BROKE_OFF = "the stream of its model broke off in the last answer, by the agent's own record"
_NO_ANSWER = "its model gave no answer to the result of the last tool call, not even an empty one"
_REJECTED = (
    "the request was rejected, and the agent stopped there: {title}; "
    "resume the task with another instruction to go on"
)
_STOPPED_SHORT = {
    "max_tokens": "the agent stopped: its model's output limit is reached",
    "refusal": "the agent refused to go on",
    "cancelled": "the agent ended its turn as cancelled, which nobody had asked for",
}

Reason = Literal["GOAL", "ERROR", "MAX_TURNS"]


def model_error_of_turn(
    stop_reason: str,
    reply: Mapping[str, Any],
    events: SessionEvents,
    prompt: Prompt,
    *,
    broke_off: bool = False,
    counts_answers: bool = False,
) -> ModelError | None:
    """Return why a turn that nobody cancelled failed though the agent ended it; None if it did not.

    `broke_off` says that the agent's own record of the turn has a cut answer at its end, `counts_answers`
    that the agent reports the size of every answer. Others may end a turn with a tool call.
    """
    failure = events.failure()
    if failure is not None or stop_reason != "end_turn":
        return failure
    is_explained = events.refused is not None or prompt.asks_for_outputs
    if events.is_idle and not events.usage.last_turn and not is_explained:
        return ModelError(_SILENT, "other")
    # A command of the agent's own, such as /help, takes no tokens.
    if counted_nothing(reply) and not prompt.text.lstrip().startswith("/"):
        return ModelError(_UNCOUNTED, "network")
    if broke_off:
        return ModelError(_BROKE_OFF, "network")
    if counts_answers and events.last_answer.is_missing and not is_explained:
        return ModelError(_NO_ANSWER, "network")
    return None


def end_of_run(stop_reason: str, rejected: str | None, missing: str | None) -> tuple[Reason, str | None]:
    """Return how a run ended and its error.

    `rejected` is the title of the request after whose rejection the agent fell silent, `missing` the
    error of outputs that it did not give.
    """
    if stop_reason == "max_turn_requests":
        return "MAX_TURNS", "the agent reached its own limit of turns"
    if stop_reason != "end_turn":
        return "ERROR", _STOPPED_SHORT.get(stop_reason, f"the agent stopped: {stop_reason}")
    error = missing if rejected is None else _REJECTED.format(title=rejected)
    return ("GOAL", None) if error is None else ("ERROR", error)
