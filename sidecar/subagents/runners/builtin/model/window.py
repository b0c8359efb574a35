"""How much of a conversation the model takes: known, or learned from a refusal."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelResponse

from sidecar.subagents.runners.builtin.model.compaction import chars, compacted

DEFAULT_TOKENS = 64_000
"""The window of a model that nothing is known of."""
_FULL, _TARGET = 0.8, 0.5
"""A conversation that fills more of the window than the first is shortened to the second.

To less than needed, so that this happens seldom: it costs the provider's cache of the conversation.
"""
_OVERHEAD_TOKENS = 3_000
"""About what the instructions and the declarations of the tools take."""
_CHARS_PER_TOKEN = 3
"""Of code, rather few than many: a request that is too long costs a round trip."""
_GUESS = 0.75
"""The part of a refused request that may fit, where the server names no limit."""


class ContextWindow:
    """The window of one model in tokens, and conversations that fit it."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens or DEFAULT_TOKENS

    def learn(self, limit: int | None, refused: Sequence[ModelMessage]) -> None:
        """Note that a request was refused as too long; `limit` is the window that the server named."""
        self.tokens = limit or round(min(self.tokens, fill(refused)) * _GUESS)

    def fitted(self, messages: Sequence[ModelMessage], *, refused: bool = False) -> list[ModelMessage]:
        """Return the messages, shortened if they nearly fill the window or were `refused` as they are."""
        tokens = fill(messages)
        if refused:
            tokens = max(tokens, self.tokens)
        if tokens <= _FULL * self.tokens and not refused:
            return list(messages)
        shorter = compacted(messages, round((tokens - _TARGET * self.tokens) * _CHARS_PER_TOKEN))
        return _recounted(shorter, chars(messages) - chars(shorter))


def fill(messages: Sequence[ModelMessage]) -> int:
    """Return about how many tokens a request with these messages takes.

    Counted from the newest answer whose usage the server reported; what came after it is estimated.
    """
    found = _counted(messages)
    if found is None:
        return _OVERHEAD_TOKENS + chars(messages) // _CHARS_PER_TOKEN
    number, answer = found
    newer, usage = messages[number + 1 :], answer.usage
    return usage.input_tokens + usage.output_tokens + chars(newer) // _CHARS_PER_TOKEN


def _counted(messages: Sequence[ModelMessage]) -> tuple[int, ModelResponse] | None:
    """Return the newest answer whose tokens the server reported, after its index."""
    for number in reversed(range(len(messages))):
        message = messages[number]
        if isinstance(message, ModelResponse) and message.usage.input_tokens:
            return number, message
    return None


def _recounted(messages: list[ModelMessage], freed_chars: int) -> list[ModelMessage]:
    """Return messages whose newest count is without what was left out: else they would seem full again."""
    found = _counted(messages)
    if found is None:
        return messages
    number, answer = found
    left = max(1, answer.usage.input_tokens - freed_chars // _CHARS_PER_TOKEN)
    recounted = replace(answer, usage=replace(answer.usage, input_tokens=left))
    return [*messages[:number], recounted, *messages[number + 1 :]]
