"""The messages of a session of Claude Code, and the files that its calls name."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.claude.layout import chain_key
from sidecar.history.stores.claude.prompts import input_of
from sidecar.history.stores.claude.records import LINES, SYNTHETIC, Record
from sidecar.history.stores.sessions.files import called_files, merged_files
from sidecar.history.stores.sessions.messages import MessageWriter

_ATTACHED: Final = frozenset({"image", "document"})
_SHOWN: Final = frozenset({"user", "assistant", "summary", "system"})


class Transcript:
    """Render the lines of one session's files as messages; see `Renderer`.

    In the file of a session, the records of a subagent belong to `inside`, the ID of its first record, and
    to the session itself none of them. With `agent` the file is a subagent's own.
    """

    def __init__(self, agent: bool, inside: str | None = None) -> None:
        self._agent = agent
        self._inside = inside
        self._chains: dict[str, str] = {}

    def __call__(self, line: bytes) -> Sequence[StoredMessage]:
        """Return the messages of a line."""
        for record, _ in LINES.each(line, Damage()):
            if record.type in _SHOWN and self.includes(record):
                writer = MessageWriter()
                _write(writer, record)
                return writer.messages
        return ()

    def includes(self, record: Record) -> bool:
        """Return whether a record belongs to the session."""
        if self._agent or not record.is_sidechain:
            return self._inside is None
        root = self._chains.get(record.parent_uuid or "") or chain_key(record.uuid)
        self._chains[record.uuid] = root
        return root == self._inside


def identity_of(line: bytes) -> Hashable:
    """Return the ID of a line's record, which a copy in another project's folder shares; else the line."""
    return next((record.uuid for record, _ in LINES.each(line, Damage()) if record.uuid), line)


def _write(writer: MessageWriter, record: Record) -> None:
    at = iso_ms(record.timestamp)
    if record.type == "summary":
        writer.add("system", "summary", record.summary, at)
    elif record.type == "system":
        writer.add("system", "error" if record.subtype == "api_error" else "notice", record.content, at)
    elif record.message is not None:
        content = value_of(record.message.content)
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if record.type == "user":
            _write_user(writer, record, blocks, at)
        else:
            _write_answer(writer, record, blocks, at)


def _write_user(writer: MessageWriter, record: Record, blocks: list[Any], at: int | None) -> None:
    given = input_of(record)
    results = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]
    for block in results:
        failed = block.get("is_error") is True
        writer.result(block.get("tool_use_id"), _text(block.get("content")), at, failed=failed)
    if results:
        return
    text = _text(blocks)
    if record.is_compact_summary:
        writer.add("system", "summary", text, at)
    elif given.kind == "typed":
        marks = [f"[{block['type']}]" for block in blocks if _is_attached(block)]
        writer.add("user", "text", "\n".join(filter(None, [given.text, *marks])), at)
    else:
        writer.add("user" if given.kind == "interrupt" else "system", "notice", text, at)


def _write_answer(writer: MessageWriter, record: Record, blocks: list[Any], at: int | None) -> None:
    message = record.message
    synthetic = record.is_api_error_message or (message is not None and message.model == SYNTHETIC)
    for block in blocks:
        if not isinstance(block, dict):
            continue
        match block.get("type"):
            case "thinking":
                writer.add("assistant", "reasoning", _string(block.get("thinking")), at)
            case "tool_use" | "server_tool_use":
                writer.call(block.get("name"), block.get("id"), block.get("input"), at)
            case "text":
                kind = "error" if record.is_api_error_message else "notice" if synthetic else "text"
                writer.add("system" if synthetic else "assistant", kind, _string(block.get("text")), at)


def _text(content: object) -> str | None:
    """Join the texts of some content; what is attached is named."""
    if not isinstance(content, list):
        return _string(content)
    parts = [
        f"[{part['type']}]"
        if _is_attached(part)
        else _string(part.get("text"))
        if isinstance(part, dict)
        else None
        for part in content
    ]
    return "\n".join(part for part in parts if part) or None


def _is_attached(block: object) -> bool:
    return isinstance(block, dict) and _string(block.get("type")) in _ATTACHED


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def touched_files(paths: Sequence[str], agent: bool, inside: str | None) -> list[FileChange]:
    """List the files that the calls of a session name; unreadable files name none."""
    transcript = Transcript(agent, inside)
    workspace: str | None = None
    found: list[FileChange] = []
    failed: set[str] = set()
    calls: list[tuple[str, list[FileChange]]] = []
    for record in _records(paths):
        if not transcript.includes(record):
            continue
        workspace = workspace or record.cwd
        for block in _blocks(record):
            if block.get("type") == "tool_use":
                at = iso_ms(record.timestamp)
                calls.append(
                    (str(block.get("id")), [*called_files(block.get("name"), block.get("input"), at)])
                )
            elif block.get("type") == "tool_result" and block.get("is_error") is True:
                failed.add(str(block.get("tool_use_id")))
    for call, files in calls:
        found += [] if call in failed else files
    return merged_files(found, workspace)


def _blocks(record: Record) -> Iterator[dict[str, Any]]:
    content = value_of(record.message.content) if record.message is not None else None
    return (block for block in content if isinstance(block, dict)) if isinstance(content, list) else iter(())


def _records(paths: Sequence[str]) -> Iterator[Record]:
    """Yield the records of a session's files; those with the ID of one in an earlier file are copies."""
    first: dict[str, int] = {}
    for number, path in enumerate(paths):
        for record in _records_in(path):
            if not record.uuid or first.setdefault(record.uuid, number) == number:
                yield record


def _records_in(path: str) -> Iterator[Record]:
    try:
        with open_growing(path, path, Position()) as growth:
            for block in growth.blocks():
                for record in LINES.decode(block, Damage()):
                    if record.type in ("user", "assistant"):
                        yield record
    except (OSError, Unreadable):
        return
