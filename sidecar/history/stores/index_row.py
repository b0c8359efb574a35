"""A listed task in the form that is kept: its JSON, ready to be sent, and the few values that lists need.

The root and the status are not part of the JSON: the one is the same for all rows, the other depends on the
age. Both are put in front of it when it is needed. Members that many tasks have in common are at its end, and
rows share that part: with thousands of runs of a few subagents, it is half of the JSON.
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
SAVING: Final = -2
"""The same for a row of half-written files: the former row is shown in its place."""
FIRST_PAUSE: Final = 1
"""The pause of a row that is to be read again; the catalog replaces it by a time."""
NOT_READ: Final = -1
"""The pause of a row of which nothing could be read now: the former row is shown in its place."""
_APART: Final = ("root", "status")
_IN_COMMON: Final = ("mode", "outcome", "product", "problems", "workspace_dir", "model", "favorite")


def _part(name: str, is_wanted: Callable[[str], bool]) -> type[msgspec.Struct]:
    """Define a struct of some members of TaskInfo."""
    kept = [field for field in msgspec.structs.fields(TaskInfo) if is_wanted(field.name)]
    members = [
        (field.name, Any) if field.required else (field.name, Any, field.default)
        for field in sorted(kept, key=lambda field: not field.required)
    ]
    return msgspec.defstruct(name, members, rename="camel", omit_defaults=True)


_Own: Final = _part("_Own", lambda name: name not in _APART + _IN_COMMON)
_Common: Final = _part("_Common", lambda name: name in _IN_COMMON)
_own_of: Final = attrgetter(*_Own.__struct_fields__)
_common_of: Final = attrgetter(*_Common.__struct_fields__)
_MOST_SHARED: Final = 4_096
"""How many shared parts of JSON are remembered."""
_shared: Final[dict[bytes, bytes]] = {}
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
    the newest of the files' times in ms. `body` and then `common`, which other rows share, are the JSON
    without its opening brace; both are empty for a task that the rules do not list. `numbers` are those that
    JSON writes as null: NaN and infinities, by the path of their field. `child_of` is the ID of the session
    that a child session belongs to, empty if it is not known. `within` is the key of the member whose file
    holds the task, if it is not a member itself, and `links` what the store keeps in order to relate members.
    `pause` is how many ms a row with an unreadable file waits before it is read again, 0 for all others.
    `root` and `haystack`, made for the first filter, are not stored.
    """

    id: str
    key: int
    entry: bytes
    created_at: int | float | None
    ages_from: int | float | None
    settled: TaskStatus
    touched: int
    body: bytes
    common: bytes = b""
    until: int = FOR_EVER
    numbers: dict[str, float] | None = None
    child_of: str | None = None
    within: str = ""
    links: bytes = b""
    pause: int = 0
    root: str = ""
    haystack: str = ""

    def status(self, now: int) -> TaskStatus:
        """Return the status at a time in ms."""
        return self.settled if self.ages_from is None else by_age(self.ages_from, now)

    def stored(self, common: bytes) -> tuple[Any, ...]:
        """Return the fields that an index keeps, with `common` in the place of its own."""
        if self.links or self.numbers is not None or self.child_of is not None or self.pause:
            return (*_required(self), common, *_most_optional(self))
        own = (*_required(self), common)
        return (*own, self.until) if self.until != FOR_EVER else own


ReadRows = dict[str, IndexRow | None]
"""Rows by task ID; None for a missing task."""

_FIELDS: Final = IndexRow.__struct_fields__
_PLACE: Final = _FIELDS.index("common")
_required: Final[Callable[[IndexRow], tuple[Any, ...]]] = attrgetter(*_FIELDS[:_PLACE])
_most_optional: Final[Callable[[IndexRow], tuple[Any, ...]]] = attrgetter(
    *(name for name in _FIELDS[_PLACE + 1 :] if name not in ("root", "haystack"))
)
"""Defaults are left out, since they need no memory when loaded."""


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
    child_of: str | None = None,
) -> IndexRow:
    """Create the row of a member; `info` is None if the rules do not list it.

    With `ages_from`, a time of last activity in ms, the status follows from the age. All else holds before
    the time `until`, in ms. See `IndexRow` for the rest.
    """
    body, common = _encode(info) if info is not None else (b"", b"")
    return IndexRow(
        id=task_id,
        key=key,
        entry=entry,
        created_at=info.created_at if info is not None else None,
        ages_from=ages_from,
        settled=info.status if info is not None else "unknown",
        touched=touched,
        body=body,
        common=common,
        until=until,
        numbers=_not_finite(info) if info is not None and _NULL in body else None,
        child_of=child_of,
        root=root,
    )


def with_info(row: IndexRow, info: TaskInfo) -> IndexRow:
    """Return a copy of a listed row that shows other values."""
    body, common = _encode(info)
    return msgspec.structs.replace(row, body=body, common=common, haystack="")


def share(common: bytes) -> bytes:
    """Return an equal value that other rows have, which saves its memory. Any thread may call."""
    if len(_shared) >= _MOST_SHARED:
        _shared.clear()
    return _shared.setdefault(common, common)


def condense(stamps: tuple[tuple[int, ...], ...]) -> int:
    """Hash stamps into 60 bits, the same in every process; a larger int would take 16 more bytes.

    A missing file has an empty stamp, because the hash of None differs between processes.
    """
    return hash(stamps) & _SIXTY_BITS


def fingerprint_of(stamps: tuple[tuple[int, ...], ...], is_kept: bool) -> int:
    """Condense the stamps of a session's files, and whether a copy of it is kept, which its row shows."""
    return condense((*stamps, (1,)) if is_kept else stamps)


def wire_prefixes(root: str) -> dict[TaskStatus, bytes]:
    """Return the JSON before the body of a row of this root, by status, starting with a comma."""
    quoted = json.dumps(root.encode("utf-8", "replace").decode())
    return {word: f',{{"root":{quoted},"status":"{word}",'.encode() for word in STATUSES}


def info_of(row: IndexRow, rules: Rules, now: int) -> TaskInfo:
    """Decode a listed row."""
    text = b'{"root":"","status":"active",' + row.body + row.common
    try:
        info = _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError):  # a lone surrogate, or a number beyond 64 bits
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
    if _BETWEEN in filter or _SURROGATE.search(filter):  # its bytes match parts of others
        return None
    return _bytewise(filter.lower())


def _bytewise(text: str) -> str:
    """Return a text with a character for each UTF-8 byte: it is small, and searched faster than bytes."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _encode(info: TaskInfo) -> tuple[bytes, bytes]:
    """Return the JSON of a task's own members, and of those in common with a comma before them."""
    own, common = _json(_Own(*_own_of(info))), _json(_Common(*_common_of(info)))
    return own[1:-1], share(b"," + common[1:])


def _json(part: msgspec.Struct) -> bytes:
    try:
        return _encoder.encode(part)
    except (UnicodeEncodeError, OverflowError, msgspec.MsgspecError):
        plain = _finite(msgspec.to_builtins(part))
        return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode("ascii")


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
