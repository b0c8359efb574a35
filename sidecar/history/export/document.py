"""Export one stored task, with one message in memory at a time: in pieces for a file, or as one text."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from sidecar.api.errors import StorageError
from sidecar.api.stored.export import ExportFormat, ExportResult
from sidecar.api.stored.tasks import Provenance, StoredMessage, TaskInfo
from sidecar.figures import dollars
from sidecar.history.export.markdown import block, fenced, inline
from sidecar.history.export.redaction import Redactor
from sidecar.history.listing.text import safe_line
from sidecar.history.stores.contract import Kind
from sidecar.history.task_history import TaskHistory
from sidecar.javascript.values import well_formed
from sidecar.status_words import stored_status

MAX_EXPORT: Final = 10_000_000
"""The longest text in an answer, in characters; JSON escapes cannot exceed the frame limit."""


def make_redactor() -> Redactor:
    """Create a redactor that knows this user's home directory in any form."""
    return Redactor(str(Path.home()))


def export_pieces(
    history: TaskHistory,
    task_id: str,
    form: ExportFormat,
    redactor: Redactor | None,
    root: str | None = None,
    estimate: bool = False,
) -> Iterator[str]:
    """Yield a whole task as a document, piece by piece. Raises as `TaskHistory.messages` does."""
    found, name = history.resolve(task_id, root)
    task, provenance = history.get(name, found.path, estimate)
    kind: Kind = "ui" if task.ui_message_count else "api"

    def messages() -> Iterator[StoredMessage]:
        with history.store(found.path).open_messages(name, kind) as opened:
            yield from opened.since()

    return export_task(form, task, provenance, messages, redactor)


def export(
    history: TaskHistory,
    task_id: str,
    form: ExportFormat,
    redact: bool = False,
    root: str | None = None,
    estimate: bool = False,
) -> ExportResult:
    """Return a whole task as one text. Raises as `export_pieces`, and StorageError beyond `MAX_EXPORT`."""
    redactor = make_redactor() if redact else None
    pieces, size = [], 0
    for piece in export_pieces(history, task_id, form, redactor, root, estimate):
        size += len(piece)
        if size > MAX_EXPORT:
            raise StorageError(
                f"the export of {task_id} is longer than {MAX_EXPORT:,} characters; use the command `export`",
                reason="too large for one answer",
            )
        pieces.append(piece)
    return ExportResult(text="".join(pieces), redactions=redactor.report if redactor else None)


FORMAT_VERSION: Final = 1
"""The version of the JSON document."""
_HEADING: Final = 120
"""The longest heading, in characters; a title may be a long prompt."""
_SPEAKERS: Final = {"user": "User", "assistant": "Assistant", "system": "System"}
_FENCED: Final = frozenset({"command", "command_output", "tool", "tool_result"})


def export_task(
    form: ExportFormat,
    task: TaskInfo,
    provenance: Mapping[str, Provenance],
    messages: Callable[[], Iterable[StoredMessage]],
    redactor: Redactor | None,
) -> Iterator[str]:
    """Yield the document in pieces.

    Markdown contains what the user saw; JSON is `{version, task, provenance, messages}` with the members of
    the wire. `messages` gives the UI's, or the API's of a task that has no others. Redaction reads them
    twice, so that a name found in the last message is also removed from the first.
    """
    facts: Any = msgspec.to_builtins(task)
    sources: Any = msgspec.to_builtins(dict(provenance))
    contents = (msgspec.to_builtins(message) for message in messages())
    if redactor is not None:
        redactor.learn([facts, sources])
        for message in messages():
            redactor.learn(msgspec.to_builtins(message))
        facts, sources = redactor.value(facts), redactor.value(sources)
        contents = (redactor.value(message) for message in contents)
    return _json(facts, sources, contents) if form == "json" else _markdown(facts, contents)


def _json(facts: Any, sources: Any, messages: Iterable[Any]) -> Iterator[str]:
    yield f'{{"version":{FORMAT_VERSION},"task":{_dump(facts)},"provenance":{_dump(sources)},"messages":['
    for place, message in enumerate(messages):
        yield f"{',' if place else ''}\n{_dump(message)}"
    yield "\n]}\n"


def _dump(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # the name of a root that is not UTF-8
        return json.dumps(value, separators=(",", ":"))


def _markdown(facts: Mapping[str, Any], messages: Iterable[Any]) -> Iterator[str]:
    title = safe_line(well_formed(facts["title"]))
    heading = title if len(title) <= _HEADING else title[: _HEADING - 1].rstrip() + "…"
    yield f"# {inline(heading)}\n\n"
    if heading != title:
        yield f"- **Title**: {inline(title)}\n"
    for name, value in _rows(facts):
        yield f"- **{name}**: {_line(str(value))}\n"
    for problem in facts["problems"]:
        yield f"- **Problem**: {_line(problem['message'])}\n"
    for message in messages:
        yield _message(message)


def _rows(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    usage, mode = facts.get("tokenUsage") or {}, facts["mode"]
    rows = (
        ("Id", facts["id"]),
        ("Status", stored_status(facts["status"], facts["outcome"])),
        ("Product", facts["product"]),
        ("Created", _when(facts.get("createdAt"))),
        ("Last activity", _when(facts.get("lastActivity"))),
        ("Mode", mode.get("name") or mode.get("current")),
        ("Model", facts.get("model")),
        ("Workspace", facts.get("workspaceDir")),
        ("Tokens", usage.get("total")),
        ("Cost", _dollars(usage.get("cost"))),
        ("Estimated cost", _dollars(usage.get("estimatedCost"))),
    )
    return ((name, value) for name, value in rows if value is not None)


def _dollars(cost: float | None) -> str | None:
    return None if cost is None else dollars(cost)


def _message(message: Mapping[str, Any]) -> str:
    kind = message["kind"]
    head = _SPEAKERS.get(message["role"], "Unknown") + ("" if kind == "text" else f", {_line(kind)}")
    tool = message.get("tool") or {}
    if tool.get("name"):
        head += f" {_line(tool['name'])}"
    if tool.get("status") == "error":
        head += ", failed"
    if moment := _when(message.get("ts")):
        head += f" ({moment})"
    body = message.get("text") or ""
    if not body:
        return f"\n## {head}\n"
    return f"\n## {head}\n\n{fenced(body) if kind in _FENCED else block(body)}\n"


def _line(text: str) -> str:
    return inline(safe_line(well_formed(text)))


def _when(ms: float | None) -> str | None:
    """Format a time in UTC, so that the document does not depend on the machine."""
    if ms is None or ms != ms:
        return None
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return None
