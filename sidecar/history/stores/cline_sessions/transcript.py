"""The messages and files of a session of Cline 4. Pure."""

from collections.abc import Iterator
from typing import Any

from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stores.cline_sessions.records import Json, Transcript, blocks, text
from sidecar.history.stores.cline_sessions.rows import prompt_text
from sidecar.history.stores.sessions.files import called_files
from sidecar.history.stores.sessions.messages import MessageWriter, raw
from sidecar.history.stores.sessions.times import time_ms


def messages_of(transcript: Transcript) -> list[StoredMessage]:
    """Return the messages in their order, one for each readable block."""
    writer = MessageWriter()
    for message in transcript.messages:
        at = time_ms(message.get("ts"))
        typed = prompt_text(message)
        if typed:
            writer.add("user", "text", typed, at)
        for block in blocks(message):
            if not (typed and block.get("type") == "text"):
                _add(writer, message, block, at)
    return writer.messages


def files_of(transcript: Transcript) -> Iterator[FileChange]:
    """Yield the files that calls of tools name, except those of failed calls."""
    failed = {
        text(block, "tool_use_id")
        for message in transcript.messages
        for block in blocks(message)
        if block.get("type") == "tool_result" and block.get("is_error") is True
    } - {None}
    for message in transcript.messages:
        for block in blocks(message):
            if block.get("type") == "tool_use" and text(block, "id") not in failed:
                yield from called_files(block.get("name"), block.get("input"), time_ms(message.get("ts")))


def _add(writer: MessageWriter, message: Json, block: Json, at: int | None) -> None:
    role = message.get("role")
    speaker = role if role in ("user", "assistant") else "system"
    match block.get("type"):
        case "text":
            is_own = speaker == "user"
            writer.add(
                "system" if is_own else speaker, "notice" if is_own else "text", text(block, "text"), at
            )
        case "thinking" | "reasoning":
            writer.add(speaker, "reasoning", text(block, "thinking") or text(block, "text"), at)
        case "tool_use":
            writer.call(block.get("name"), block.get("id"), block.get("input"), at)
        case "tool_result":
            failed = block.get("is_error") is True
            writer.result(block.get("tool_use_id"), _result(block.get("content")), at, failed=failed)
        case "image" | "file":
            writer.add(speaker, "text", f"[{block['type']}]", at)


def _result(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None if content is None else raw(content)
    texts = [text(part, "text") or raw(part) for part in content if isinstance(part, dict)]
    return "\n".join(texts)
