"""Shorten a conversation: remove results of old tool calls first, and keep the user's text.

All functions are pure. Sizes are characters of text, not tokens.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

_SHORT_CHARS = 200
"""Shorter texts stay, because removing them saves too little."""
_NEWEST_CHARS = 2_000
"""The least to keep of a result that the model has not seen yet."""
_LEFT_OUT = "[left out to save room; call the tool again if it is needed]"
_CUT = "\n[cut to fit the context window; ask for a smaller part]"
_STEPS_LEFT_OUT = "[Earlier steps of this work are left out to save room.]"

Stage = Callable[[Sequence[ModelMessage], int], list[ModelMessage]]


def compacted(messages: Sequence[ModelMessage], excess: int) -> list[ModelMessage]:
    """Return the messages, shortened by at least `excess` characters if possible.

    Remove the oldest first, in this order: results of tools, arguments of tool calls, whole steps, and the
    ends of the newest results.
    """
    target = chars(messages) - excess
    shorter = list(messages)
    for stage in _STAGES:
        if (left := chars(shorter) - target) <= 0:
            break
        shorter = stage(shorter, left)
    return shorter


def chars(messages: Iterable[ModelMessage]) -> int:
    """Return the number of characters of text in the messages."""
    return sum(_size(part) for message in messages for part in message.parts)


def _size(part: object) -> int:
    match part:
        case UserPromptPart(content=str(text)) | TextPart(content=text) | ThinkingPart(content=text):
            return len(text)
        case UserPromptPart(content=pieces):
            return sum(len(piece) for piece in pieces if isinstance(piece, str))
        case ToolCallPart():
            return len(part.args_as_json_str())
        case ToolReturnPart():
            return len(part.model_response_str())
    return len(str(getattr(part, "content", "")))


def _without_results(messages: Sequence[ModelMessage], excess: int) -> list[ModelMessage]:
    def shortened(message: ModelMessage) -> ModelMessage:
        if not isinstance(message, ModelRequest):
            return message
        return replace(message, parts=[_without_result(part) for part in message.parts])

    return _shortened_from_the_oldest(messages, excess, shortened, newest=1)


def _without_arguments(messages: Sequence[ModelMessage], excess: int) -> list[ModelMessage]:
    def shortened(message: ModelMessage) -> ModelMessage:
        if not isinstance(message, ModelResponse):
            return message
        return replace(message, parts=[_with_short_arguments(part) for part in message.parts])

    return _shortened_from_the_oldest(messages, excess, shortened, newest=2)


def _shortened_from_the_oldest(
    messages: Sequence[ModelMessage],
    excess: int,
    shortened: Callable[[ModelMessage], ModelMessage],
    newest: int,
) -> list[ModelMessage]:
    kept: list[ModelMessage] = []
    for number, message in enumerate(messages):
        if excess > 0 and number < len(messages) - newest:
            shorter = shortened(message)
            excess -= chars([message]) - chars([shorter])
            message = shorter
        kept.append(message)
    return kept


def _without_steps(messages: Sequence[ModelMessage], excess: int) -> list[ModelMessage]:
    """Replace answers of the model, each with the results of its calls, by a note."""
    kept: list[ModelMessage] = []
    last_answer = max((n for n, each in enumerate(messages) if isinstance(each, ModelResponse)), default=0)
    for number, message in enumerate(messages):
        removed = number < last_answer and excess > 0 and isinstance(message, ModelResponse)
        follows = number <= last_answer and bool(kept) and _is_note(kept[-1])
        if removed:
            excess -= chars([message])
            if not kept or not _is_note(kept[-1]):
                kept.append(ModelRequest(parts=[UserPromptPart(_STEPS_LEFT_OUT)]))
        elif follows and isinstance(message, ModelRequest):
            rest = [part for part in message.parts if not _answers_a_call(part)]
            excess -= chars([message]) - sum(map(_size, rest))
            kept.extend([replace(message, parts=rest)] if rest else [])
        else:
            kept.append(message)
    return kept


def _with_short_newest(messages: Sequence[ModelMessage], excess: int) -> list[ModelMessage]:
    *older, newest = messages
    if not isinstance(newest, ModelRequest):
        return list(messages)
    parts: list[Any] = []
    for part in newest.parts:
        if type(part) is ToolReturnPart and excess > 0 and isinstance(part.content, str):
            room = max(_NEWEST_CHARS, len(part.content) - excess - len(_CUT))
            if room + len(_CUT) < len(part.content):
                excess -= len(part.content) - room - len(_CUT)
                part = replace(cast("ToolReturnPart[str]", part), content=part.content[:room] + _CUT)
        parts.append(part)
    return [*older, replace(newest, parts=parts)]


_STAGES: tuple[Stage, ...] = (_without_results, _without_arguments, _without_steps, _with_short_newest)


def _without_result(part: Any) -> Any:
    # Keep subclasses, whose content the library itself needs.
    if type(part) is ToolReturnPart and _size(part) > _SHORT_CHARS:
        return replace(cast("ToolReturnPart[str]", part), content=_LEFT_OUT)
    return part


def _with_short_arguments(part: ModelResponsePart) -> ModelResponsePart:
    if type(part) is not ToolCallPart or _size(part) <= _SHORT_CHARS:
        return part
    arguments = {
        name: _LEFT_OUT if isinstance(value, str) and len(value) > _SHORT_CHARS else value
        for name, value in part.args_as_dict().items()
    }
    return replace(cast("ToolCallPart[Any]", part), args=arguments)


def _answers_a_call(part: object) -> bool:
    return getattr(part, "tool_call_id", None) is not None


def _is_note(message: ModelMessage) -> bool:
    match message:
        case ModelRequest(parts=[UserPromptPart(content=text)]):
            return text == _STEPS_LEFT_OUT
    return False
