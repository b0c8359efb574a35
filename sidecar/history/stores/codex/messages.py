"""The messages of a session of Codex, and the files that its calls name."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.message_lines import MessagePlaces
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.codex.layout import COMPRESSED, DOCUMENT
from sidecar.history.stores.codex.prompts import event_of, text_of_parts, typed
from sidecar.history.stores.codex.reader import lines_of
from sidecar.history.stores.codex.records import LINES, Payload, Record
from sidecar.history.stores.contract import Messages
from sidecar.history.stores.sessions.files import called_files, merged_files, patched_files
from sidecar.history.stores.sessions.messages import MessageList, MessageWriter

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_PATCH: Final = "*** Begin Patch"
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
    elif payload is None and record.type in _CALLS:
        writer.call(record.name, record.call_id, _arguments(value_of(record.arguments)), at)
    elif payload is None and record.type in _RESULTS:
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
        case _ if kind in _NOTICES:
            writer.add("system", "notice", _NOTICES[kind], at)


def _write_item(writer: MessageWriter, payload: Payload, at: int | None) -> None:
    if payload.type in _CALLS:
        name, given = _call(payload)
        writer.call(name, payload.call_id, given, at)
    elif payload.type in _RESULTS:
        _write_result(writer, payload.call_id, value_of(payload.output), at)


def _write_result(writer: MessageWriter, call: str | None, output: object, at: int | None) -> None:
    """Write what a tool returned; some versions wrap it in JSON with the exit code."""
    inner = value_of(output) if isinstance(output, str) and output.startswith("{") else output
    failed = False
    if isinstance(inner, dict):
        metadata = inner.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        failed = (isinstance(code, int) and code != 0) or inner.get("success") is False
        output = inner.get("output", inner.get("content", output))
    text = output if isinstance(output, str) else None
    writer.result(call, text, at, failed=failed)


def _call(payload: Payload) -> tuple[str | None, object]:
    """Return the name and the input of a call."""
    if payload.type == "local_shell_call":
        return "shell", value_of(payload.action)
    if payload.type == "web_search_call":
        return "web_search", value_of(payload.action)
    given = payload.input if payload.type == "custom_tool_call" else payload.arguments
    return payload.name, _arguments(value_of(given))


def _arguments(given: object) -> object:
    """Decode arguments that are JSON in a text."""
    decoded = value_of(given) if isinstance(given, str) and given.startswith("{") else None
    return given if decoded is None else decoded


def touched_files(paths: Sequence[str], workspace: str | None) -> list[FileChange]:
    """List the files that the calls of a session name; unreadable files name none."""
    return merged_files(_files(paths), workspace)


def _files(paths: Sequence[str]) -> Iterator[FileChange]:
    for record in _records(paths):
        payload = record.payload
        if payload is None or record.type != "response_item" or payload.type not in _CALLS:
            continue
        at = iso_ms(record.timestamp)
        name, given = _call(payload)
        patch = next((text for text in _texts(given) if _PATCH in text), None)
        if patch is not None:
            yield from patched_files(patch[patch.index(_PATCH) :], at)
        else:
            yield from called_files(name, given, at)


def _texts(given: object) -> Iterator[str]:
    """Iterate over the texts of an input: itself, or those of its members, such as a command line."""
    values: list[Any] = list(given.values()) if isinstance(given, dict) else [given]
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (part for part in value if isinstance(part, str))


def _records(paths: Sequence[str]) -> Iterator[Record]:
    for path in paths:
        if path.endswith((COMPRESSED, DOCUMENT)):
            yield from LINES.decode(lines_of(path)[0] or b"", Damage())
            continue
        try:
            with open_growing(path, path, Position()) as growth:
                for block in growth.blocks():
                    yield from LINES.decode(block, Damage())
        except (OSError, Unreadable):
            continue
