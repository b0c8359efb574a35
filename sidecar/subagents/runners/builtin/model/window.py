"""Fit conversations to the model's context window, which is configured or learned from a refusal."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelResponse

from sidecar.subagents.runners.builtin.model.compaction import chars, compacted

DEFAULT_TOKENS = 64_000
"""The window to assume for an unknown model."""
_FULL, _TARGET = 0.8, 0.5
"""Shorten a conversation that fills more of the window than the first to the second.

The target is lower than necessary so that this happens rarely, because each time invalidates the provider's
cache of the conversation.
"""
_OVERHEAD_TOKENS = 3_000
"""About the size of the instructions and the tool declarations."""
_CHARS_PER_TOKEN = 3
"""A low estimate for code, because a request that is too long costs a round trip."""
_MOST_CHARS_PER_TOKEN = 4
"""A high estimate. A server that reports fewer tokens for a text than this does not count all of it."""
_GUESS = 0.75
"""The share of a refused request that may fit, if the server does not state the limit."""


class ContextWindow:
    """The window of one model in tokens, and conversations that fit it."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens or DEFAULT_TOKENS

    def learn(self, limit: int | None, refused: Sequence[ModelMessage]) -> None:
        """Learn the window from a request refused as too long; `limit` is what the server stated."""
        self.tokens = limit or round(min(self.tokens, fill(refused)) * _GUESS)

    def fitted(self, messages: Sequence[ModelMessage], *, refused: bool = False) -> list[ModelMessage]:
        """Return the messages, shortened if they nearly fill the window or were `refused`."""
        tokens = fill(messages)
        if refused:
            tokens = max(tokens, self.tokens)
        if tokens <= _FULL * self.tokens and not refused:
            return list(messages)
        per_token = max(_CHARS_PER_TOKEN, min(_MOST_CHARS_PER_TOKEN, chars(messages) / tokens))
        shorter = compacted(messages, round((tokens - _TARGET * self.tokens) * per_token))
        return _recounted(shorter, chars(messages) - chars(shorter))


def fill(messages: Sequence[ModelMessage]) -> int:
    """Estimate how many tokens a request with these messages uses.

    Start from the latest answer whose usage the server reported, and estimate the messages after it. A server
    may report too few, so use the estimate of all messages if it is larger.
    """
    found = _counted(messages)
    if found is None:
        return _OVERHEAD_TOKENS + chars(messages) // _CHARS_PER_TOKEN
    number, answer = found
    newer, usage = messages[number + 1 :], answer.usage
    reported = usage.input_tokens + usage.output_tokens + chars(newer) // _CHARS_PER_TOKEN
    return max(reported, chars(messages) // _MOST_CHARS_PER_TOKEN)


def _counted(messages: Sequence[ModelMessage]) -> tuple[int, ModelResponse] | None:
    """Return the index and the message of the latest answer whose tokens the server reported."""
    for number in reversed(range(len(messages))):
        message = messages[number]
        if isinstance(message, ModelResponse) and message.usage.input_tokens:
            return number, message
    return None


def _recounted(messages: list[ModelMessage], freed_chars: int) -> list[ModelMessage]:
    """Reduce the latest reported usage by the text removed, so that the window does not appear full."""
    found = _counted(messages)
    if found is None:
        return messages
    number, answer = found
    left = max(1, answer.usage.input_tokens - freed_chars // _CHARS_PER_TOKEN)
    recounted = replace(answer, usage=replace(answer.usage, input_tokens=left))
    return [*messages[:number], recounted, *messages[number + 1 :]]
