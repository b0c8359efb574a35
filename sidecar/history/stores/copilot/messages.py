"""The messages of a session of Copilot CLI, and the files that its tools touched. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.copilot.events import EVENTS, Event
from sidecar.history.stores.sessions.files import called_files
from sidecar.history.stores.sessions.messages import MessageWriter, raw
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.values import text


def render(line: bytes) -> Sequence[StoredMessage]:
    """Turn one event into messages in the shape of the wire."""
    writer = MessageWriter()
    for event in EVENTS.decode(line, Damage()):
        data = data_of(event)
        at = iso_ms(event.timestamp)
        match event.type:
            case "user.message":
                is_typed = data.get("source") in (None, "user")
                kind = ("user", "text") if is_typed else ("system", "notice")
                writer.add(*kind, text(data.get("content")), at)
            case "assistant.message":
                _write_answer(writer, data, at)
            case "tool.execution_complete":
                failed = data.get("success") is False
                writer.result(data.get("toolCallId"), _result(data), at, failed=failed)
            case "session.error":
                writer.add("system", "error", text(data.get("message")) or raw(data), at)
            case "abort":
                writer.add("system", "notice", f"Cancelled: {text(data.get('reason')) or 'by the user'}", at)
            case "session.info" | "session.warning":
                writer.add("system", "notice", text(data.get("message")), at)
            case "session.compaction_complete":
                writer.add("system", "summary", text(data.get("summaryContent")) or "Compacted", at)
    return writer.messages


def touched_files(events: Iterable[Event]) -> Iterator[FileChange]:
    """Yield the files that successful calls of tools read and changed."""
    calls: dict[object, tuple[object, object]] = {}
    for event in events:
        if event.type == "tool.execution_start":
            data = data_of(event)
            if isinstance(call_id := data.get("toolCallId"), str):
                calls[call_id] = data.get("toolName"), data.get("arguments")
        elif event.type == "tool.execution_complete":
            data = data_of(event)
            call_id = data.get("toolCallId")
            name, given = calls.pop(call_id, (None, None)) if isinstance(call_id, str) else (None, None)
            if data.get("success") is not False:
                yield from called_files(name, given, iso_ms(event.timestamp))


def data_of(event: Event) -> dict[str, Any]:
    """Return the data of an event; empty if it has none."""
    data = value_of(event.data)
    return data if isinstance(data, dict) else {}


def _write_answer(writer: MessageWriter, data: dict[str, Any], at: int | None) -> None:
    writer.add("assistant", "reasoning", text(data.get("reasoningText")), at)
    writer.add("assistant", "text", text(data.get("content")), at)
    requests = data.get("toolRequests")
    for call in requests if isinstance(requests, list) else ():
        if isinstance(call, dict):
            writer.call(call.get("name"), call.get("toolCallId"), call.get("arguments"), at)


def _result(data: dict[str, Any]) -> str | None:
    """Return what a tool gave back: a diff if there is one, else what the model received."""
    result, error = data.get("result"), data.get("error")
    if isinstance(result, dict):
        detail = text(result.get("detailedContent"))
        if detail and ("\n@@ " in detail or detail.startswith("diff ")):
            return detail
        return text(result.get("content")) or detail
    if isinstance(error, dict):
        return text(error.get("message")) or raw(error)
    return text(result) or text(error)
