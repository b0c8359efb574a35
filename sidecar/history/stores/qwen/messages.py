"""The messages of a session of Qwen Code, and the files that its tools touched. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.gemini.messages import files_of_call, shown_result
from sidecar.history.stores.qwen.records import (
    RECORDS,
    Record,
    is_error,
    is_notification,
    is_wrapper,
    parts_of,
    plain_text,
)
from sidecar.history.stores.sessions.messages import MessageWriter
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.values import text

_FAILED = ("error", "cancelled")


def render(line: bytes) -> Sequence[StoredMessage]:
    """Turn one line into messages in the shape of the wire."""
    return stored_messages(RECORDS.decode(line, Damage()))


def stored_messages(records: Iterable[Record]) -> Sequence[StoredMessage]:
    """Turn records into messages in the shape of the wire."""
    writer = MessageWriter()
    for record in records:
        at = iso_ms(record.timestamp)
        match record.type:
            case "user" if is_notification(record) or is_wrapper(plain_text(record)):
                writer.add("system", "notice", plain_text(record), at)
            case "user":
                writer.add("user", "text", plain_text(record), at)
            case "assistant":
                _write_answer(writer, record, at)
            case "tool_result":
                _write_result(writer, record, at)
            case "system":
                _write_notice(writer, record, at)
    return writer.messages


def touched_files(records: Iterable[Record]) -> Iterator[FileChange]:
    """Yield the files that successful calls of tools read and changed."""
    calls: dict[object, dict[str, Any]] = {}
    for record in records:
        if record.type == "assistant":
            calls.update((_id_of(call), call) for call in _members(record, "functionCall"))
        elif record.type == "tool_result":
            result = _result_of(record)
            answer = next(_members(record, "functionResponse"), {})
            call = calls.pop(_id_of(answer) or text(result.get("callId")), {})
            if result.get("status") in (None, "success"):
                at = iso_ms(record.timestamp)
                yield from files_of_call(call.get("name"), call.get("args"), result.get("resultDisplay"), at)


def _write_answer(writer: MessageWriter, record: Record, at: int | None) -> None:
    thoughts = (part.get("text") for part in parts_of(record) if part.get("thought"))
    writer.add("assistant", "reasoning", "".join(each for each in thoughts if isinstance(each, str)), at)
    writer.add("assistant", "text", plain_text(record), at)
    for call in _members(record, "functionCall"):
        writer.call(call.get("name"), call.get("id"), call.get("args"), at)


def _write_result(writer: MessageWriter, record: Record, at: int | None) -> None:
    result = _result_of(record)
    failed = result.get("status") in _FAILED
    answers = [*_members(record, "functionResponse")]
    for answer in answers[:1] or [{}]:
        shown = shown_result(result.get("resultDisplay"), [{"functionResponse": each} for each in answers])
        writer.result(_id_of(answer) or result.get("callId"), shown, at, failed=failed)


def _write_notice(writer: MessageWriter, record: Record, at: int | None) -> None:
    payload = value_of(record.system_payload)
    payload = payload if isinstance(payload, dict) else {}
    if record.subtype == "slash_command":
        writer.add("user", "text", text(payload.get("rawCommand")), at)
    elif record.subtype == "chat_compression":
        writer.add("system", "summary", "The product compressed the chat.", at)
    elif is_error(payload):
        event = payload["uiEvent"]
        writer.add("system", "error", text(event.get("error_message")) or text(event.get("error")), at)


def _members(record: Record, name: str) -> Iterator[dict[str, Any]]:
    return (each for part in parts_of(record) if isinstance(each := part.get(name), dict))


def _result_of(record: Record) -> dict[str, Any]:
    result = value_of(record.tool_call_result)
    return result if isinstance(result, dict) else {}


def _id_of(call: dict[str, Any]) -> str | None:
    found = call.get("id")
    return found if isinstance(found, str) else None
