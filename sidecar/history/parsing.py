"""Tolerant parsing of message files: bytes to records, with every liberty taken named as a problem."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import msgspec

from sidecar.api.tasks import Problem
from sidecar.history.problems import problem
from sidecar.history.records import ApiMessage, UiMessage
from sidecar.history.salvage import mend, split

MAX_MENDED_IN_VAIN: Final = 1_000
"""Messages that may turn out to be broken beyond mending before others are read strictly only."""

T = TypeVar("T")
Json = bytes | str | msgspec.Raw
"""One encoded value."""

_BOM: Final = b"\xef\xbb\xbf"
_WRAPPER: Final = re.compile(rb'\{\s*+(?:"version"\s*+:\s*+\d++\s*+,\s*+)?"messages"\s*+:\s*+')
"""The object around the array that some Roo builds of February 2026 wrote."""
UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for JSON that it does not take."""


@dataclass(slots=True)
class Parsed(Generic[T]):
    """The messages of one file: `records` are readable ones, `total` counts every element of the array."""

    records: list[T]
    total: int
    problems: list[Problem]


class Parser(Generic[T]):
    """Decode an array of one kind of record: strictly at once, else element by element."""

    def __init__(self, record: type[T]) -> None:
        self._array: msgspec.json.Decoder[list[T]] = msgspec.json.Decoder(list[record])  # type: ignore[valid-type]  # built from a value
        self._one: msgspec.json.Decoder[T] = msgspec.json.Decoder(record)

    def parse(self, data: bytes, name: str) -> Parsed[T]:
        """Parse `data` read from the file `name`; never raises, time is linear in the size."""
        data, problems = clean(data, name)
        try:
            records = self._array.decode(data)
        except UNREADABLE:
            return self._salvage(data, name, problems)
        return Parsed(records, len(records), problems)

    def _salvage(self, data: bytes, name: str, problems: list[Problem]) -> Parsed[T]:
        parts = elements(data, name, problems)
        records = list(self._readable(parts))
        if skipped := len(parts) - len(records):
            problems.append(
                problem("malformed", f"{name}: {skipped} of {len(parts)} messages are unreadable")
            )
        return Parsed(records, len(parts), problems)

    def _readable(self, parts: list[bytes]) -> Iterator[T]:
        """Decode what can be; a file of nothing but broken messages must not be mended one by one."""
        patience = MAX_MENDED_IN_VAIN
        for part in parts:
            if not part.startswith(b"{"):
                continue
            decode = partial(decode_leniently, self._one.decode) if patience else self._strictly
            record = decode(part)
            if record is not None:
                yield record
            else:
                patience = max(patience - 1, 0)

    def _strictly(self, part: bytes) -> T | None:
        try:
            return self._one.decode(part)
        except UNREADABLE:
            return None


ui_parser: Final = Parser(UiMessage)
api_parser: Final = Parser(ApiMessage)


def clean(data: bytes, name: str) -> tuple[bytes, list[Problem]]:
    """Take off what no JSON parser accepts: zero padding, a byte order mark, bytes that are no UTF-8."""
    problems = []
    if data.endswith(b"\0") or data.startswith(b"\0"):
        data = data.strip(b"\0 \t\r\n")
        problems.append(problem("padding", f"{name} is padded with zero bytes"))
    if data.startswith(_BOM):
        data = data[3:]
        problems.append(problem("byteOrderMark", f"{name} starts with a byte order mark"))
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        problems.append(
            problem("badUtf8", f"{name} holds bytes that are no UTF-8, the first at {error.start}")
        )
        data = data.decode("utf-8", "replace").encode()
    return data, problems


def elements(data: bytes, name: str, problems: list[Problem]) -> list[bytes]:
    """Split the messages of a cleaned file, damaged or not, into the bytes of each; add what was found."""
    data = data.strip()
    wrapped = _WRAPPER.match(data)
    found = split(data[wrapped.end() :] if wrapped else data)
    if found is None:
        what = "is blank" if not data else "does not hold an array of messages"
        problems.append(problem("notMessages", f"{name} {what}"))
        return []
    if wrapped:
        problems.append(problem("wrapped", f"{name} wraps its messages in an object"))
    if not found.closed:
        _drop_unfinished(found.parts, found.whole)
        problems.append(problem("cut", f"{name} is cut after message {len(found.parts)}"))
    elif found.tail != (b"}" if wrapped else b""):
        problems.append(problem("strayTail", f"{name} goes on after the end of its messages"))
    return found.parts


def decode_leniently(decode: Callable[[Json], T], value: Json) -> T | None:
    """Decode one JSON value; on a refusal decode its mended form, and answer None if that fails too."""
    try:
        return decode(value)
    except UNREADABLE:
        mended = mend(value if isinstance(value, str) else bytes(value).decode("utf-8", "replace"))
    try:
        return decode(mended) if mended is not None else None
    except UNREADABLE:
        return None


def value_of(json: Json) -> Any:
    """Decode a bulky member, or JSON inside a text, when it is needed; None when absent or unreadable."""
    return decode_leniently(msgspec.json.decode, json) if len(json) else None


def text_of(raw: msgspec.Raw) -> str | None:
    """Decode a member that should be a text; None for anything else."""
    value = value_of(raw)
    return value if isinstance(value, str) else None


def _drop_unfinished(parts: list[bytes], whole: int) -> None:
    """Keep a last element that merely lost the closing bracket of the array."""
    if len(parts) > whole and (not parts[-1].endswith(b"}") or mend(parts[-1].decode()) is None):
        parts.pop()
