"""Turn an agent's tool calls and their updates into events that contain only changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidecar.javascript.printing import MAX_DEPTH, TOO_DEEP
from sidecar.subagents.journal import codec
from sidecar.subagents.permissions.paths import MAX_PATHS
from sidecar.subagents.permissions.shortening import TITLE_CHARS, cut_middle
from sidecar.subagents.runners.acp.updates.names import call_name, tool_name
from sidecar.subagents.runners.acp.updates.terminal import TerminalOutput
from sidecar.subagents.runners.acp.updates.written import new_file

Event = dict[str, Any]

VALUE_BYTES = 256 * 1024
"""The most bytes of one text or value in an event."""
_KNOWN = 1_000
"""The most calls to remember. An update of a forgotten call counts as a new call."""
_ENDS = {"completed": "completed", "failed": "failed"}
_ABOUT = ("name", "title", "kind", "locations", "content", "rawInput")


@dataclass
class _Call:
    name: str
    status: str = "started"
    sent: dict[str, int] = field(default_factory=dict)
    """The hash of each member's value when it was last sent."""
    about: dict[str, Any] = field(default_factory=dict)
    """The members that a permission request for the call may omit, until the call ends."""
    terminal: TerminalOutput = field(default_factory=TerminalOutput)


class ToolCalls:
    """The tool calls of one run. An update with an unknown ID starts a new call."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._refused: dict[str, None] = {}

    def take(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of an update: `started`, also for changes, or the end. None if nothing changed."""
        call_id = update.get("toolCallId")
        if not isinstance(call_id, str) or not call_id:
            return
        call, is_new = self._call(call_id, update)
        call.about.update(_about(call.about, update))
        status = _ENDS.get(str(update.get("status")), call.status)
        if status != "started":
            self._refused.pop(call_id, None)
        if status == "completed" and (diff := new_file({**call.about, **update})):
            update = {**update, "content": [*_mappings(update.get("content")), diff]}
        changes = changed_members(call.sent, {**call.terminal.take(update), **members(update)})
        if is_new and status != "started":
            yield self._event(call_id, call, "started", {})
        if is_new or changes or status != call.status:
            call.status = status
            if status != "started":
                call.about.clear()
            yield self._event(call_id, call, status, changes)

    def refuse(self, call_id: str | None) -> None:
        """Record that a call was refused, since some agents never report its end."""
        if call_id in self._calls:
            self._refused[str(call_id)] = None

    def finish(self) -> Iterator[Event]:
        """End the turn: yield the end of each refused call whose end the agent did not report."""
        for call_id in list(self._refused):
            yield from self.take({"toolCallId": call_id, "status": "failed"})

    def known(self, update: Mapping[str, Any]) -> dict[str, Any]:
        """Return the call in `update`, completed with members from earlier updates."""
        call = self._calls.get(str(update.get("toolCallId")))
        before = call.about if call else {}
        given = {key: value for key, value in update.items() if value}
        return {**given, **before, **_about(before, update)}

    def _call(self, call_id: str, update: Mapping[str, Any]) -> tuple[_Call, bool]:
        call = self._calls.get(call_id)
        if call is not None:
            return call, False
        if len(self._calls) >= _KNOWN:
            del self._calls[next(iter(self._calls))]
        self._calls[call_id] = call = _Call(call_name(update))
        return call, True

    def _event(self, call_id: str, call: _Call, status: str, changes: Event) -> Event:
        return {"type": "tool", "toolCallId": call_id, "name": call.name, "status": status, **changes}


def _about(before: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an update adds to the known members of a call.

    Locations accumulate, since an update may name only additional files. Output does not replace diffs.
    """
    added = {key: update[key] for key in _ABOUT if update.get(key)}
    if "name" not in before and (name := tool_name(update)) is not None:
        added["name"] = name
    if "locations" in added:
        places = {**_by_path(before.get("locations")), **_by_path(added["locations"])}
        added["locations"] = list(places.values())[: MAX_PATHS + 1]
    if "content" in added and not any(part.get("type") == "diff" for part in _mappings(added["content"])):
        del added["content"]
    return added


def _by_path(places: Any) -> dict[str, Mapping[str, Any]]:
    return {each["path"]: each for each in _mappings(places) if isinstance(each.get("path"), str)}


def _mappings(parts: Any) -> Iterator[Mapping[str, Any]]:
    yield from (part for part in (parts if isinstance(parts, list) else []) if isinstance(part, Mapping))


def members(call: Mapping[str, Any]) -> Event:
    """Return the call's `title, kind, locations, content, input, output`, cut to their limits."""
    words = {key: call[key] for key in ("title", "kind") if isinstance(call.get(key), str)}
    found: Event = {key: cut_middle(text, TITLE_CHARS) for key, text in words.items()}
    if isinstance(call.get("locations"), list):
        found["locations"] = [place for each in call["locations"] if (place := _location(each))]
    if isinstance(call.get("content"), list):
        found["content"] = [part for each in call["content"] if (part := _content(each))]
    for theirs, ours in (("rawInput", "input"), ("rawOutput", "output")):
        if call.get(theirs) is not None:
            found[ours] = bounded(call[theirs])
    return {key: value for key, value in found.items() if value not in ([], {}, "")}


def changed_members(sent: dict[str, int], found: Event) -> Event:
    """Return the members that differ from those in `sent`, and add them to it."""
    hashes = {key: hash(codec.encode(value)) for key, value in found.items()}
    changes = {key: value for key, value in found.items() if sent.get(key) != hashes[key]}
    sent.update(hashes)
    return changes


def bounded(value: Any) -> Any:
    """Return `value`, or its text if it is too deep, or its cut text if it is too large."""
    text, is_kept = _text_of(value)
    if len(encoded := text.encode("utf-8", "replace")) <= VALUE_BYTES:
        return value if is_kept else text
    kept = encoded[:VALUE_BYTES].decode("utf-8", "ignore")
    return f"{kept}\n[cut: {len(text) - len(kept):,} more characters]"


def _text_of(value: Any) -> tuple[str, bool]:
    """Return a value as text, and whether an event can hold the value itself."""
    if isinstance(value, str):
        return value, True
    try:
        return codec.encode(value).decode(), _is_shallow(value)
    except (RecursionError, TypeError):
        return TOO_DEEP, False


def _is_shallow(value: Any) -> bool:
    """Return whether a value's nesting is shallow enough for every JSON library."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False


def _location(place: Any) -> Event | None:
    if not isinstance(place, Mapping) or not isinstance(place.get("path"), str):
        return None
    line = place.get("line")
    return {"path": place["path"], **({"line": line} if isinstance(line, int) else {})}


def _content(part: Any) -> Event | None:
    """Return `{type: "text", text}` or `{type: "diff", path, oldText?, newText}`; None for other types."""
    if not isinstance(part, Mapping):
        return None
    if part.get("type") == "diff" and isinstance(part.get("path"), str):
        texts = {key: bounded(part[key]) for key in ("oldText", "newText") if isinstance(part.get(key), str)}
        return {"type": "diff", "path": part["path"], **texts}
    inner = part.get("content")
    if part.get("type") == "content" and isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
        return {"type": "text", "text": bounded(inner["text"])}
    return None
