"""The messages of a session of Codex, and the files that its calls name."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import StoredMessage
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.message_lines import MessagePlaces
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.codex.calls import CALLS, RESULTS, arguments_of, call_of, result_of
from sidecar.history.stores.codex.layout import COMPRESSED, DOCUMENT
from sidecar.history.stores.codex.prompts import error_of, event_of, text_of_parts, typed
from sidecar.history.stores.codex.reader import lines_of
from sidecar.history.stores.codex.records import LINES, Payload, Record
from sidecar.history.stores.contract import Messages
from sidecar.history.stores.sessions.messages import MessageList, MessageWriter

_NOTICES: Final = {"turn_aborted": "turn aborted", "context_compacted": "context compacted"}


@contextmanager
def open_messages(key: str, paths: Sequence[str], places: MessagePlaces) -> Iterator[Messages]:
    """Open the messages of a session. Raises StorageError naming the path."""
    whole = [path for path in paths if path.endswith((COMPRESSED, DOCUMENT))]
    if whole:
        yield _all_of(whole[0])
        return
    with places.open(key, paths, lambda: render) as messages:
        yield messages


def render(line: bytes) -> Sequence[StoredMessage]:
    """Return the messages of a line."""
    writer = MessageWriter()
    for record, _ in LINES.each(line, Damage()):
        _write(writer, record)
    return writer.messages


def _all_of(path: str) -> MessageList:
    data, problems = lines_of(path)
    if data is None and problems:
        raise StorageError(problems[0].message, path=path, reason=problems[0].message)
    messages = render(data or b"")
    for index, message in enumerate(messages):
        message.index = index
    return MessageList(messages)


def _write(writer: MessageWriter, record: Record) -> None:
    at = iso_ms(record.timestamp)
    payload = record.payload
    if record.type == "event_msg" and payload is not None:
        _write_event(writer, payload, at)
    elif record.type == "response_item" and payload is not None:
        _write_item(writer, payload, at)
    elif payload is None and record.type == "message":
        text = text_of_parts(record.content)
        prompt = typed(text) if record.role == "user" else ""
        if record.role == "assistant":
            writer.add("assistant", "text", text, at)
        else:
            writer.add("user" if prompt else "system", "text" if prompt else "notice", prompt or text, at)
    elif payload is None and record.type in CALLS:
        writer.call(record.name, record.call_id, arguments_of(value_of(record.arguments)), at)
    elif payload is None and record.type in RESULTS:
        _write_result(writer, record.call_id, value_of(record.output), at)


def _write_event(writer: MessageWriter, payload: Payload, at: int | None) -> None:
    kind, text = event_of(payload)
    match kind:
        case "user_message":
            prompt = typed(text, payload.kind)
            writer.add("user" if prompt else "system", "text" if prompt else "notice", prompt or text, at)
        case "agent_message":
            writer.add("assistant", "text", text, at)
        case "agent_reasoning":
            writer.add("assistant", "reasoning", text, at)
        case "error" | "stream_error":
            writer.add("system", "error", text or "error", at)
        case "task_complete" | "turn_complete" if error := error_of(payload):
            writer.add("system", "error", error, at)
        case _ if kind in _NOTICES:
            writer.add("system", "notice", _NOTICES[kind], at)


def _write_item(writer: MessageWriter, payload: Payload, at: int | None) -> None:
    if payload.type in CALLS:
        name, given = call_of(payload)
        writer.call(name, payload.call_id, given, at)
    elif payload.type in RESULTS:
        _write_result(writer, payload.call_id, value_of(payload.output), at)


def _write_result(writer: MessageWriter, call: str | None, output: object, at: int | None) -> None:
    shown, failed = result_of(output)
    writer.result(call, shown, at, failed=failed)
