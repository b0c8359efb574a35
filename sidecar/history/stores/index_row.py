"""A listed task in the form that is kept: its JSON, ready to be sent, and the few values that lists need.

The root and the status are not part of the JSON: the one is the same for all rows, the other depends on the
age. Both are put in front of it when it is needed.
"""

import json
import math
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, get_args

import msgspec

from sidecar.api.stored.tasks import Rules, TaskInfo, TaskStatus, TokenUsage
from sidecar.history.stores.status_by_age import FOR_EVER, by_age

STATUSES: Final[tuple[TaskStatus, ...]] = get_args(TaskStatus)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SIXTY_BITS: Final = 2**60 - 1
UNSETTLED: Final = -1
"""A key that no member has: every scan reads such a row again."""
_APART: Final = ("root", "status")
_KEPT: Final = [field for field in msgspec.structs.fields(TaskInfo) if field.name not in _APART]
_Body: Final = msgspec.defstruct(
    "_Body",
    [
        (field.name, Any) if field.required else (field.name, Any, field.default)
        for field in sorted(_KEPT, key=lambda field: not field.required)
    ],
    rename="camel",
    omit_defaults=True,
)
_values_of: Final = attrgetter(*_Body.__struct_fields__)
_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(TaskInfo)
_NULL: Final = b":null"
_NUMBERS: Final = (
    "created_at",
    "last_activity",
    "duration",
    *(f"token_usage.{field.name}" for field in msgspec.structs.fields(TokenUsage)),
)
"""Fields in which the guide's arithmetic may leave NaN or an infinity."""
_BETWEEN: Final = "\0"
"""Separates the texts that a filter searches, so that matches do not span two of them."""


class IndexRow(msgspec.Struct, array_like=True, gc=False):
    """One task under one rule set, with what shows whether it is still current.

    `key` condenses the stamps of the files read, `entry` the task's entries in shared lists; `touched` is
    the newest of the files' times in ms. `body` is the JSON without its opening brace, empty for a task
    that the rules do not list; `numbers` are those that JSON writes as null: NaN and infinities, by the
    path of their field. `root` and `haystack`, made for the first filter, are not stored.
    """

    id: str
    key: int
    entry: bytes
    created_at: int | float | None
    ages_from: int | float | None
    settled: TaskStatus
    touched: int
    body: bytes
    until: int = FOR_EVER
    numbers: dict[str, float] | None = None
    root: str = ""
    haystack: str = ""

    def status(self, now: int) -> TaskStatus:
        """Return the status at a time in ms."""
        return self.settled if self.ages_from is None else by_age(self.ages_from, now)

    def stored(self) -> tuple[Any, ...]:
        """Return the fields that an index keeps."""
        values = _stored_of(self)
        if self.numbers is not None:
            return values
        return values[:-1] if self.until != FOR_EVER else values[:-2]  # defaults need no memory when loaded


ReadRows = dict[str, IndexRow | None]
"""Rows by task id; None for a missing task."""

_STORED: Final = [name for name in IndexRow.__struct_fields__ if name not in ("root", "haystack")]


_stored_of: Final[Callable[[IndexRow], tuple[Any, ...]]] = attrgetter(*_STORED)


def make_row(
    task_id: str,
    root: str,
    key: int,
    info: TaskInfo | None,
    *,
    entry: bytes = b"",
    ages_from: int | float | None = None,
    until: int = FOR_EVER,
    touched: int = 0,
) -> IndexRow:
    """Create the row of a member; `info` is None if the rules do not list it.

    With `ages_from`, a time of last activity in ms, the status follows from the age. All else holds before
    the time `until`, in ms. See `IndexRow` for the rest.
    """
    body = _encode(info) if info is not None else b""
    return IndexRow(
        id=task_id,
        key=key,
        entry=entry,
        created_at=info.created_at if info is not None else None,
        ages_from=ages_from,
        settled=info.status if info is not None else "unknown",
        touched=touched,
        body=body,
        until=until,
        numbers=_not_finite(info) if info is not None and _NULL in body else None,
        root=root,
    )


def condense(stamps: tuple[tuple[int, ...], ...]) -> int:
    """Hash stamps into 60 bits, the same in every process; a larger int would take 16 more bytes.

    A missing file has an empty stamp, because the hash of None differs between processes.
    """
    return hash(stamps) & _SIXTY_BITS


def wire_prefixes(root: str) -> dict[TaskStatus, bytes]:
    """Return the JSON before the body of a row of this root, by status, starting with a comma."""
    quoted = json.dumps(root.encode("utf-8", "replace").decode())
    return {word: f',{{"root":{quoted},"status":"{word}",'.encode() for word in STATUSES}


def info_of(row: IndexRow, rules: Rules, now: int) -> TaskInfo:
    """Decode a listed row."""
    text = b'{"root":"","status":"active",' + row.body
    try:
        info = _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError):  # half a character, or a number beyond 64 bits
        info = msgspec.convert(json.loads(text), TaskInfo)
    info.root, info.status = row.root, row.status(now)
    if row.numbers is not None:
        _restore(info, row.numbers)
    return info


def haystack(row: IndexRow, rules: Rules) -> str:
    """Return the lower-cased texts that a filter searches, except the status, in the form of `needle`."""
    if not row.haystack:
        info = info_of(row, rules, 0)
        texts = [info.id, info.title, info.mode.current, info.mode.name]
        if rules == "structural":
            texts.append(info.workspace_dir)
        joined = _BETWEEN.join(text.lower() for text in texts if text)
        row.haystack = _bytewise(joined)
    return row.haystack


def needle(filter: str) -> str | None:
    """Return the text to search for in haystacks, None if they cannot decide about the filter."""
    if _BETWEEN in filter or _SURROGATE.search(filter):  # half a character is found in whole ones
        return None
    return _bytewise(filter.lower())


def _bytewise(text: str) -> str:
    """A text of the UTF-8 bytes of another: it needs one byte for each, and is searched faster than bytes."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _encode(info: TaskInfo) -> bytes:
    body = _Body(*_values_of(info))
    try:
        return _encoder.encode(body)[1:]
    except (UnicodeEncodeError, OverflowError, msgspec.MsgspecError):
        plain = _finite(msgspec.to_builtins(body))
        return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode("ascii")[1:]


def _finite(value: Any) -> Any:
    """Spell NaN and infinities as JavaScript's JSON does."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _not_finite(info: TaskInfo) -> dict[str, float] | None:
    """Find the numbers that are NaN or infinite."""
    numbers = {
        path: value
        for path in _NUMBERS
        if isinstance(value := _number_at(info, path), float) and not math.isfinite(value)
    }
    return numbers or None


def _number_at(info: TaskInfo, path: str) -> Any:
    value: Any = info
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _restore(info: TaskInfo, numbers: dict[str, float]) -> None:
    for path, value in numbers.items():
        *parents, name = path.split(".")
        holder: Any = info
        for parent in parents:
            holder = getattr(holder, parent)
        setattr(holder, name, value)
