"""A task's two message files as the guide reads them, with only what it reads decoded.

A skim reads a file in which all that matters has the types that writers give it, which is nearly every
file. What it refuses is parsed whole, as JavaScript does. Both give the same messages.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec
import orjson

from sidecar.javascript.json_text import MAX_STRINGIFY_DEPTH, parse
from sidecar.javascript.values import UNDEFINED, JavaScriptThrow

T = TypeVar("T")

_UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, ValueError)
"""What a skim raises for JSON that it does not accept; ValueError for bad UTF-8 and very long numbers."""


class Block(msgspec.Struct, gc=False):
    """A block of a skimmed content; what it wraps, such as a tool's output, stays undecoded."""

    type: Any = None
    text: str | None = None
    content: msgspec.Raw = msgspec.Raw()


class Message(msgspec.Struct, rename="camel", gc=False):
    """An object among the messages; of one that was parsed whole, `content` may be of any type.

    One that was skimmed serves the structural rules, too: it is an `ApiRecord`.
    """

    ts: Any = UNDEFINED
    role: Any = UNDEFINED
    content: list[Block] | str | msgspec.UnsetType | None = msgspec.UNSET
    model_info: msgspec.Raw = msgspec.Raw()

    @property
    def is_foreign(self) -> bool:
        """Return whether it has nothing that a product writes."""
        absent = (UNDEFINED, None)
        return self.content is msgspec.UNSET and self.role in absent and self.ts in absent

    def blocks(self) -> list[dict[str, Any]]:
        """Return type and text of each block."""
        content = self.content
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        return [{"type": block.type, "text": block.text} for block in content or ()]

    def texts_with(self, word: str) -> list[str]:
        """Return the texts of the content that hold a word."""
        content = self.content
        if isinstance(content, str):
            return [content] if word in content else []
        return [it.text for it in content or () if it.text and word in it.text and it.type == "text"]


class Dated(Protocol):
    """A message of which only its time matters."""

    ts: Any


class _Dated(msgspec.Struct, gc=False):
    ts: Any = UNDEFINED


class MessageFile(msgspec.Struct, frozen=True, gc=False):
    """One file: its bytes, how many messages it holds, the `ts` of the outer ones, 0 where there is none.

    `messages` are the objects among those of an API history. `parsed` are all of a file that was parsed
    whole, None for a skimmed one.
    """

    data: bytes
    total: int
    first_ts: Any
    last_ts: Any
    messages: list[Message]
    parsed: list[Any] | None = None


_ui_decoder: Final = msgspec.json.Decoder(list[_Dated])
_api_decoder: Final = msgspec.json.Decoder(list[Message])
_raw_decoder: Final = msgspec.json.Decoder(list[msgspec.Raw])


def read_ui(data: bytes) -> MessageFile:
    """Read `ui_messages.json`; raises JavaScriptThrow where the guide throws."""
    if (skimmed := _skim(_ui_decoder, data)) is not None:
        return MessageFile(data, len(skimmed), *_outer_times(skimmed), [])
    value = parse(data)
    # What is neither a list nor a text cannot be spread; a text is, into characters that hold no word.
    if not isinstance(value, list) and not (isinstance(value, str) and value):
        raise JavaScriptThrow("not iterable")
    first, last = _times_of(value)
    return MessageFile(data, len(value), first, last, [], value if isinstance(value, list) else [])


def ui_of(data: bytes, messages: Sequence[Dated]) -> MessageFile:
    """Return the same as `read_ui`, for a file whose messages a strict decoder took as they are.

    There a `ts` of None is absent or null, between which the guide distinguishes.
    """
    first, last = _outer_times(messages)
    if first is None or last is None or (_GOES_TOO_DEEP and _may_be_too_deep(data)):
        return read_ui(data)
    return MessageFile(data, len(messages), first, last, [])


def read_api(data: bytes) -> MessageFile:
    """Read `api_conversation_history.json`; raises JavaScriptThrow where the guide throws."""
    if (messages := _skim(_api_decoder, data)) is not None:
        return MessageFile(data, len(messages), *_outer_times(messages), messages)
    value = parse(data)
    if not isinstance(value, list) or None in value:  # the guide checks every message before the end
        raise JavaScriptThrow("cannot read members of null")
    first, last = _times_of(value)
    objects = [item for item in value if type(item) is dict]  # no other has members
    messages = [
        Message(ts=member(it, "ts"), role=member(it, "role"), content=it.get("content")) for it in objects
    ]
    return MessageFile(data, len(value), first, last, messages, value)


def member(value: object, name: str) -> Any:
    """Read `value[name]`; the names asked for exist on no array, string, number or boolean."""
    if type(value) is dict:
        return value.get(name, UNDEFINED)
    if type(value) is Block:
        return value.text
    if value is None:
        raise JavaScriptThrow(f"cannot read {name} of null")
    return UNDEFINED


def _times_of(values: list[Any] | str) -> tuple[Any, Any]:
    return (member(values[0], "ts"), member(values[-1], "ts")) if values else (0, 0)


def split(data: bytes) -> list[msgspec.Raw] | None:
    """Split a file into its messages; None for one that a skim refuses."""
    return _skim(_raw_decoder, data)


def _skim(decoder: msgspec.json.Decoder[list[T]], data: bytes) -> list[T] | None:
    try:
        messages = decoder.decode(data)
    except _UNREADABLE:
        return None
    return None if _GOES_TOO_DEEP and _may_be_too_deep(data) else messages


def _goes_too_deep() -> bool:
    """Return whether a skim accepts nesting that `JSON.stringify` cannot print, as since Python 3.13."""
    try:
        _raw_decoder.decode(b"[" * (MAX_STRINGIFY_DEPTH + 2) + b"]" * (MAX_STRINGIFY_DEPTH + 2))
    except RecursionError:
        return False
    return True


_GOES_TOO_DEEP: Final = _goes_too_deep()


def _may_be_too_deep(data: bytes) -> bool:
    """Return whether a message may be too deep: it has enough brackets, and orjson cannot decode it."""
    if _closing_brackets(data) <= MAX_STRINGIFY_DEPTH:
        return False
    return any(
        _closing_brackets(message) > MAX_STRINGIFY_DEPTH and _is_refused(message)
        for message in map(bytes, _raw_decoder.decode(data))
    )


def _closing_brackets(data: bytes) -> int:
    return data.count(b"]") + data.count(b"}")


def _is_refused(message: bytes) -> bool:
    try:
        orjson.loads(message)
    except orjson.JSONDecodeError:
        return True
    return False


def _outer_times(messages: Sequence[Dated]) -> tuple[Any, Any]:
    return (messages[0].ts, messages[-1].ts) if messages else (0, 0)
