"""Parse message files tolerantly: bytes to records, with a problem for each repair."""

import contextlib
import re
from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Generic, TypeVar

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.complexity import is_too_complex
from sidecar.history.stored.problems import problem

# The repair code is imported when needed: its patterns take milliseconds to compile.

MAX_FAILED_REPAIRS: Final = 300
"""Messages that may turn out to be broken beyond repairing before others are read strictly only."""
MAX_BROKEN: Final = 2_000
"""Broken messages after which those next to a broken one count as broken, too: each costs a microsecond."""
_GROUP: Final = 64
_OPENING: Final = ord("{")

_SAY_NO_JSON: Final = frozenset({"cut", "strayTail", "notMessages", "malformed"})

T = TypeVar("T")
Json = bytes | str | msgspec.Raw
"""One encoded value."""
_NoObject = tuple[msgspec.Raw, ...] | str | int | float | bool | None

_PIECE: Final = 1 << 16
"""Bytes checked for UTF-8 at a time."""
_BOM: Final = b"\xef\xbb\xbf"
_WRAPPER: Final = re.compile(rb'\{\s*+(?:"version"\s*+:\s*+\d++\s*+,\s*+)?"messages"\s*+:\s*+')
"""The object around the array that some Roo builds of February 2026 wrote."""
UNREADABLE: Final = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
"""What a decoder raises for JSON that it does not take."""
text_decoder: Final = msgspec.json.Decoder(str)
_raw: Final = msgspec.json.Decoder(msgspec.Raw)


class Parsed(msgspec.Struct, Generic[T]):
    """The messages of one file: `records` are readable ones, `total` counts every element of the array.

    `exact` is set if a strict decoder took the file as it is.
    """

    records: list[T]
    total: int
    problems: list[Problem]
    exact: bool = False


class Parser(Generic[T]):
    """Decode an array of one kind of record: strictly at once, else element by element."""

    def __init__(self, record: type[T]) -> None:
        self._array: msgspec.json.Decoder[list[T]] = msgspec.json.Decoder(list[record])  # type: ignore[valid-type]  # built from a value
        self._one: msgspec.json.Decoder[T] = msgspec.json.Decoder(record)
        self._record = record

    def parse(self, data: bytes, name: str) -> Parsed[T]:
        """Parse `data` read from the file `name`; never raises, time is linear in the size."""
        data, problems = clean(data, name)
        try:
            records = self._array.decode(data)
            return Parsed(records, len(records), problems, not problems)
        except UNREADABLE:
            records, total = self._objects(data) or self._salvage(data, name, problems)
        if skipped := total - len(records):
            message = f"{name}: {skipped} of {total} messages are unreadable"
            problems.append(problem("malformed", message))
        note_refused(data, name, problems)
        return Parsed(records, total, problems)

    def _objects(self, data: bytes) -> tuple[list[T], int] | None:
        """Decode a whole array with elements other than objects, or values that only JavaScript accepts."""
        kinds = list[self._record | _NoObject]  # type: ignore[name-defined]  # built from a value
        decode = partial(msgspec.json.decode, type=kinds)
        found = decode_leniently(decode, data) if data.endswith(b"]") else None
        if found is None:
            return None
        record = self._record
        return [value for value in found if type(value) is record], len(found)

    def _salvage(self, data: bytes, name: str, problems: list[Problem]) -> tuple[list[T], int]:
        parts = elements(data, name, problems)
        return list(self._readable(parts)), len(parts)

    def _readable(self, parts: list[bytes]) -> Iterator[T]:
        """Decode the readable parts; many broken messages are not repaired one by one."""
        objects = [part for part in parts if part[0] == _OPENING]
        if (records := decode_leniently(self._array.decode, b"[" + b",".join(objects) + b"]")) is not None:
            yield from records
            return
        broken = 0
        for place, part in enumerate(objects):
            if broken == MAX_BROKEN:
                yield from self._in_groups(objects[place:])
                return
            repaired = broken < MAX_FAILED_REPAIRS
            record = decode_leniently(self._one.decode, part) if repaired else self._strictly(part)
            if record is not None:
                yield record
            else:
                broken += 1

    def _in_groups(self, objects: list[bytes]) -> Iterator[T]:
        """Decode the groups without broken messages."""
        for start in range(0, len(objects), _GROUP):
            with contextlib.suppress(*UNREADABLE):
                yield from self._array.decode(b"[" + b",".join(objects[start : start + _GROUP]) + b"]")

    def _strictly(self, part: bytes) -> T | None:
        try:
            return self._one.decode(part)
        except UNREADABLE:
            return None


def decode_object(decode: Callable[[Json], T], data: bytes, name: str) -> tuple[T | None, list[Problem]]:
    """Decode a file that contains one object, None if it does not; each repair is a problem."""
    data, problems = clean(data, name)
    try:
        return decode(data), problems
    except UNREADABLE:
        value = decode_leniently(decode, data)
    note_refused(data, name, problems)
    return value, problems


def note_refused(data: bytes, name: str, problems: list[Problem]) -> None:
    """Add the problem that a cleaned file is not JSON, unless other problems already show it.

    `JSON.parse` decides, since all writers use it. It takes longer than decoding, so call this only for files
    that a strict decoder refused.
    """
    if any(each.code in _SAY_NO_JSON for each in problems):
        return
    from sidecar.javascript.json_text import is_accepted

    if not is_accepted(data):
        message = f"{name} is not valid JSON; what could be read of it was kept"
        problems.append(problem("malformed", message))


def clean(data: bytes, name: str) -> tuple[bytes, list[Problem]]:
    """Remove what no JSON parser accepts: zero padding, a byte order mark, bytes that are not UTF-8."""
    problems = []
    if data.endswith(b"\0") or data.startswith(b"\0"):
        data = data.strip(b"\0 \t\r\n")
        problems.append(problem("padding", f"{name} is padded with zero bytes"))
    if data.startswith(_BOM):
        data = data[3:]
        problems.append(problem("byteOrderMark", f"{name} starts with a byte order mark"))
    if not data.isascii() and (first := first_bad_byte(data)) is not None:
        problems.append(problem("badUtf8", f"{name} holds bytes that are not UTF-8, the first at {first}"))
        data = data.decode("utf-8", "replace").encode()
    return data, problems


def first_bad_byte(data: bytes) -> int | None:
    """Find where bytes cease to be UTF-8; in pieces that fit a processor's cache."""
    start, size = 0, len(data)
    if size <= _PIECE:
        try:
            utf_8_decode(data, "strict", True)
        except UnicodeDecodeError as error:
            return error.start
        return None
    while start < size:
        piece = data[start : start + _PIECE]
        if piece.isascii():
            start += _PIECE
            continue
        try:
            start += utf_8_decode(piece, "strict", start + _PIECE >= size)[1]
        except UnicodeDecodeError as error:
            return start + error.start
    return None


def elements(data: bytes, name: str, problems: list[Problem]) -> list[bytes]:
    """Split a cleaned file, damaged or not, into the bytes of each message; add the problems found."""
    data = data.strip()
    wrapped = _WRAPPER.match(data)
    from sidecar.history.stored.salvage import split

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
        problems.append(problem("strayTail", f"{name} continues after the end of its messages"))
    return found.parts


def decode_leniently(decode: Callable[[Json], T], value: Json) -> T | None:
    """Decode one JSON value, or its repaired form if that fails; return None if both fail."""
    try:
        return decode(value)
    except UNREADABLE:
        from sidecar.history.stored.salvage import repair
        from sidecar.history.stored.surrogates import without_halves

        with contextlib.suppress(*UNREADABLE):
            return decode(without_halves(value.encode() if isinstance(value, str) else bytes(value)))
        repaired = repair(value if isinstance(value, str) else bytes(value).decode("utf-8", "replace"))
    try:
        return decode(repaired) if repaired is not None else None
    except UNREADABLE:
        return None


def is_json(data: bytes) -> bool:
    """Return whether bytes are one whole JSON value; halves of surrogate pairs may be in it."""
    try:
        _raw.decode(data)
    except UNREADABLE:
        from sidecar.history.stored.surrogates import without_halves

        whole = without_halves(data)
        return whole is not data and is_json(whole)
    return True


def value_of(json: Json) -> Any:
    """Decode a bulky member, or JSON inside a text, when it is needed.

    None when it is absent, unreadable, or too complex.
    """
    if not len(json) or is_too_complex(json):
        return None
    return decode_leniently(msgspec.json.decode, json)


def text_of(raw: msgspec.Raw | bytes) -> str | None:
    """Decode a member that should be a text; None for anything else."""
    if not len(raw):
        return None
    try:
        return text_decoder.decode(raw)
    except UNREADABLE:
        value = value_of(raw)
    return value if isinstance(value, str) else None


def _drop_unfinished(parts: list[bytes], whole: int) -> None:
    """Keep a last element that merely lost the closing bracket of the array."""
    from sidecar.history.stored.salvage import repair

    if len(parts) > whole and (not parts[-1].endswith(b"}") or repair(parts[-1].decode()) is None):
        parts.pop()
