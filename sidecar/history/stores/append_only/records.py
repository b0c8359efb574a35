"""Decode blocks of JSON lines into records: all at once if they are sound, else line by line."""

import contextlib
import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.complexity import MAX_VALUES, is_too_complex
from sidecar.history.stored.parsing import UNREADABLE, first_bad_byte, is_json
from sidecar.history.stored.problems import problem
from sidecar.history.stored.surrogates import without_halves

T = TypeVar("T")

_PADDING: Final = b"\0"
_BOM: Final = b"\xef\xbb\xbf"
_MOST_DROPPED: Final = 50
"""Members of one record that may have an unexpected type before it counts as broken."""
MAX_BROKEN: Final = 20_000
"""Broken lines of a file after which none is repaired, and a block with another one is skipped."""
MAX_REPAIRED: Final = 8 << 20
"""The longest line, in bytes, that is repaired if it is not sound JSON: that takes many times its size."""
_MOST_DIGITS: Final = 21
_STEP: Final = re.compile(r"\.([^.\[\]`]+)|\[([^\]]*)\]")


class Damage:
    """What was wrong with the lines of one file."""

    __slots__ = ("bad_utf8", "broken", "byte_order_mark", "complex", "lines", "padded")

    def __init__(self) -> None:
        self.lines = 0
        """Broken and sound lines in blocks that were not sound."""
        self.broken = 0
        self.complex = 0
        """Lines with more values than are decoded at once, of which the row may lack something."""
        self.padded = False
        self.byte_order_mark = False
        self.bad_utf8: int | None = None
        """The offset of the first byte that is not UTF-8."""

    def problems(self, name: str) -> list[Problem]:
        """Describe the damage of the file `name`."""
        found: list[Problem] = []
        if self.padded:
            found.append(problem("padding", f"{name} is padded with zero bytes"))
        if self.byte_order_mark:
            found.append(problem("byteOrderMark", f"{name} starts with a byte order mark"))
        if self.bad_utf8 is not None:
            message = f"{name} holds bytes that are not UTF-8, the first at {self.bad_utf8}"
            found.append(problem("badUtf8", message))
        if self.broken:
            lines = "line is" if self.broken == 1 else "lines are"
            found.append(problem("malformed", f"{name}: {self.broken:,} {lines} not readable"))
        if self.complex:
            lines = "line has" if self.complex == 1 else "lines have"
            message = f"{name}: {self.complex:,} {lines} more than {MAX_VALUES:,} objects and arrays"
            found.append(problem("tooLarge", f"{message}; not everything in them is listed"))
        return found


class LineDecoder(Generic[T]):
    """Decode lines into records of one type. Members of an unexpected type are left out of a record.

    With `reads_values`, the reader decodes members whose type is open, unless a line holds too many values.
    """

    def __init__(self, record: type[T], *, reads_values: bool = True) -> None:
        self._record = record
        self._reads_values = reads_values
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(record)

    def decode(self, block: bytes, damage: Damage, offset: int = 0) -> list[T]:
        """Decode a block of lines that starts at `offset` of its file; never raises."""
        if not block.isascii():
            bad = first_bad_byte(block)
            if bad is not None and damage.bad_utf8 is None:
                damage.bad_utf8 = offset + bad
        if self._reads_values:
            damage.complex += sum(map(is_too_complex, _long_lines(block)))
        try:
            return self._decoder.decode_lines(block)
        except UNREADABLE:
            if damage.broken >= MAX_BROKEN:
                damage.broken += block.count(b"\n")
                return []
            return [record for record, _ in self.each(block, damage)]

    def each(self, block: bytes, damage: Damage) -> Iterator[tuple[T, bytes]]:
        """Decode line by line, and yield each record with its line."""
        for line in block.split(b"\n"):
            if line and (cleaned := _cleaned(line, damage)):
                record = self._one(cleaned, damage.broken < MAX_BROKEN)
                if record is None:
                    damage.broken += 1
                else:
                    yield record, line

    def _one(self, line: bytes, is_repaired: bool) -> T | None:
        try:
            return self._decoder.decode(line)
        except UNREADABLE:
            sound = _sound(line) if is_repaired and line.startswith(b"{") else None
        return None if sound is None else self._without_strange_members(sound)

    def _without_strange_members(self, line: bytes) -> T | None:
        value: Any = None
        with contextlib.suppress(msgspec.ValidationError):
            return self._decoder.decode(line)
        if len(line) <= MAX_REPAIRED:
            value, line = _in_range(line)
        for _ in range(_MOST_DROPPED):
            try:
                return self._decoder.decode(line)
            except msgspec.ValidationError as error:
                if not isinstance(value, dict) or not _drop(value, str(error)):
                    return None
                line = msgspec.json.encode(value)
        return None


def _long_lines(block: bytes) -> Iterator[bytes]:
    """Yield the lines that are long enough to be too complex; most others are skipped."""
    start = 0
    while len(block) - start > MAX_VALUES:
        end = block.rfind(b"\n", start, start + MAX_VALUES + 1)
        if end < 0:
            end = block.find(b"\n", start + MAX_VALUES)
            end = len(block) if end < 0 else end
            yield block[start:end]
        start = end + 1


def _in_range(line: bytes) -> tuple[Any, bytes]:
    """Return the value of a line of JSON, and the line with null for each number that no decoder takes."""
    try:
        return msgspec.json.decode(line), line
    except msgspec.ValidationError:
        value = json.loads(line, parse_int=_whole)
        return value, msgspec.json.encode(value)


def _whole(digits: str) -> int | float:
    """Return a whole number, or infinity, which is encoded as null, for one of more than 64 bits."""
    value = int(digits) if len(digits) < _MOST_DIGITS else math.inf
    return value if abs(value) < 1 << 63 else math.inf


def _cleaned(line: bytes, damage: Damage) -> bytes:
    """Remove what surrounds the JSON of a line; empty for a blank line."""
    if line.startswith(_BOM):
        damage.byte_order_mark = True
        line = line[len(_BOM) :]
    if line.startswith(_PADDING) or line.endswith(_PADDING):
        damage.padded = True
        line = line.strip(b"\0")
    return line.strip()


def _sound(line: bytes) -> bytes | None:
    """Return JSON that a strict decoder takes; None if the line is not JSON."""
    line = without_halves(line)
    if first_bad_byte(line) is None and is_json(line):
        return line
    if len(line) > MAX_REPAIRED:
        return None
    from sidecar.history.stored.salvage import repair

    return repair(line.decode("utf-8", "replace"))


def _drop(value: dict[str, Any], message: str) -> bool:
    """Remove the member that a validation error names as ``at `$.a.b` ``; return whether there was one."""
    _, found, path = message.rpartition(" - at `$")
    steps = [name or place for name, place in _STEP.findall(path.rstrip("`"))]
    if not found or not steps:
        return False
    holder: Any = value
    for step in steps[:-1]:
        holder = holder.get(step) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or steps[-1] not in holder:
        return False
    del holder[steps[-1]]
    return True
