"""The messages and files of a session of opencode or Kilo. Pure."""

from collections.abc import Iterator
from typing import Any

from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stores.opencode.content import Content, Message, member, text
from sidecar.history.stores.sessions.files import called_files
from sidecar.history.stores.sessions.messages import MessageWriter
from sidecar.history.stores.sessions.times import time_ms


def messages_of(content: Content) -> list[StoredMessage]:
    """Return the messages in their order, one for each readable part."""
    writer = MessageWriter()
    for message in content.messages:
        for part in message.parts:
            _add(writer, message, part.data)
        error = member(message.data, "error")
        if error:
            words = text(member(error, "data"), "message") or text(error, "message", "name")
            writer.add("system", "error", words, message.completed or message.created)
    return writer.messages


def files_of(content: Content) -> Iterator[FileChange]:
    """Yield the files that completed calls of tools name."""
    for message in content.messages:
        for part in message.parts:
            state = member(part.data, "state")
            if part.data.get("type") == "tool" and state.get("status") == "completed":
                at = time_ms(member(state, "time").get("end")) or message.created
                yield from called_files(part.data.get("tool"), state.get("input"), at)


def _add(writer: MessageWriter, message: Message, data: dict[str, Any]) -> None:
    at = time_ms(member(data, "time").get("start")) or message.created
    role = message.role if message.role in ("user", "assistant") else "system"
    match data.get("type"):
        case "text":
            kind = "summary" if message.data.get("summary") is True else "text"
            is_typed = data.get("synthetic") is not True
            writer.add(role if is_typed else "system", kind if is_typed else "notice", text(data, "text"), at)
        case "reasoning":
            writer.add(role, "reasoning", text(data, "text"), at)
        case "tool":
            _add_tool(writer, data, at)
        case "file":
            writer.add(role, "text", f"[{text(data, 'filename', 'mime') or 'file'}]", at)
        case "subtask":
            writer.add(role, "text", text(data, "prompt", "description"), at)
        case "compaction":
            writer.add("system", "notice", "compaction", at)
        case "retry":
            writer.add("system", "error", text(member(member(data, "error"), "data"), "message"), at)


def _add_tool(writer: MessageWriter, data: dict[str, Any], at: int | None) -> None:
    state, call = member(data, "state"), data.get("callID")
    started = time_ms(member(state, "time").get("start")) or at
    writer.call(data.get("tool"), call, state.get("input"), started)
    ended = time_ms(member(state, "time").get("end")) or started
    status = state.get("status")
    if status == "completed":
        writer.result(call, _output(state), ended, failed=False)
    elif status == "error":
        writer.result(call, text(state, "error"), ended, failed=True)


def _output(state: dict[str, Any]) -> str | None:
    """Return what a tool gave back: the diff of an edit, if it is recorded, else the output."""
    return text(member(state, "metadata"), "diff") or text(state, "output")
