"""The messages of sessions in the shape of the wire; the kinds are those of task folders. Pure."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from sidecar.api.stored.tasks import StoredMessage, ToolMark
from sidecar.history.stored.texts import encodable
from sidecar.history.stores.sessions.changes.edits import edits_of

MAX_NAME: Final = 100
"""The longest name of a tool, in characters."""
MAX_INPUT: Final = 2_000
"""The longest input of a tool that is shown as JSON, in characters."""
_CHANGES: Final = (
    ("diff", "patch", "patchText"),
    ("content", "file_text", "newText", "new_text", "new_string", "newString", "new_str"),
)
"""Members of a tool's input that hold what it writes, as a diff or as text."""


class MessageList:
    """The messages of one member, all in memory; see `Messages` in the contract."""

    def __init__(self, messages: Sequence[StoredMessage]) -> None:
        self._messages = messages

    @property
    def total(self) -> int:
        """Return the number of messages."""
        return len(self._messages)

    def read(self, start: int, end: int) -> list[StoredMessage]:
        """Return the messages from index `start` up to, but not including, `end`."""
        return list(self._messages[start:end])

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        """Iterate over the messages from index `start` on."""
        return iter(self._messages[start:])


class MessageWriter:
    """Number the messages of a session in their order."""

    def __init__(self) -> None:
        self.messages: list[StoredMessage] = []

    def add(
        self, role: str, kind: str, text: str | None, ts: int | None, tool: ToolMark | None = None
    ) -> None:
        """Append a message; one without text and tool is left out."""
        if text or tool is not None:
            message = StoredMessage(
                index=len(self.messages),
                ts=ts,
                role=role,
                kind=kind,
                text=encodable(text) if text else None,
                tool=tool,
            )
            self.messages.append(message)

    def call(self, name: object, call_id: object, given: object, ts: int | None) -> None:
        """Append the call of a tool with its input."""
        mark = ToolMark(name=_name(name), id=_name(call_id), edits=edits_of(name, given))
        self.add("assistant", "tool", input_text(given), ts, mark)

    def result(self, call_id: object, text: str | None, ts: int | None, *, failed: bool) -> None:
        """Append what a tool gave back."""
        mark = ToolMark(id=_name(call_id), status="error" if failed else "ok")
        self.add("user", "tool_result", text, ts, mark)


def input_text(given: object) -> str:
    """Print the input of a tool: its short members as JSON, then the diff or text that it writes."""
    if not isinstance(given, dict):
        return given if isinstance(given, str) else "" if given is None else raw(given)
    old, new = _first(given, "oldString", "old_string", "old_str", "oldText", "old_text"), None
    for names in _CHANGES:
        new = new or _first(given, *names)
    if new is None:
        return raw(given)
    short = {name: value for name, value in given.items() if value not in (old, new)}
    return "\n".join(filter(None, [raw(short) if short else "", diff_text(old, new)]))


def diff_text(old: str | None, new: str) -> str:
    """Show a replaced text as a diff; a text without an old one as it is."""
    if old is None:
        return new
    marked = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
    return "\n".join(marked)


def raw(value: object) -> str:
    """Print any value as JSON, cut to `MAX_INPUT`; never raises."""
    try:
        text = _dump(value)
    except (RecursionError, ValueError, TypeError):
        return "(a value that cannot be shown)"
    return text if len(text) <= MAX_INPUT else text[: MAX_INPUT - 3] + "..."


def _dump(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # lone surrogates or whole numbers beyond 64 bits
        return json.dumps(value)


def _first(fields: dict[str, Any], *names: str) -> str | None:
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), None)


def _name(value: object) -> str | None:
    return encodable(value[:MAX_NAME]) if isinstance(value, str) and value else None
