"""A conversation's memory, bounded: what old tool calls returned is the first to go."""

from dataclasses import replace
from typing import cast

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, ToolReturnPart

MAX_CHARS = 400_000
"""About a hundred thousand tokens of what tools returned."""
_SHORT_CHARS = 200
_LEFT_OUT = "[left out to save room; call the tool again if it is needed]"


async def bounded(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return the messages; beyond MAX_CHARS the oldest long tool results are left out, down to half of it.

    Half, so that this happens seldom: it costs the provider's cache of the conversation.
    """
    size = sum(_size(part) for message in messages for part in message.parts)
    excess = size - MAX_CHARS // 2 if size > MAX_CHARS else 0
    kept: list[ModelMessage] = []
    for message in messages:
        if excess > 0 and isinstance(message, ModelRequest) and message is not messages[-1]:
            parts = [_shortened(part) for part in message.parts]
            excess -= sum(map(_size, message.parts)) - sum(map(_size, parts))
            message = replace(message, parts=parts)
        kept.append(message)
    return kept


def _size(part: object) -> int:
    return len(part.content) if isinstance(part, ToolReturnPart) and isinstance(part.content, str) else 0


def _shortened(part: ModelRequestPart) -> ModelRequestPart:
    # Subclasses hold what the library itself needs to find again.
    if type(part) is ToolReturnPart and _size(part) > _SHORT_CHARS:
        return replace(cast("ToolReturnPart[str]", part), content=_LEFT_OUT)
    return part
