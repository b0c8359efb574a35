"""The messages of a session of Gemini CLI, and the files that its tools touched. Pure."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from sidecar.api.stored.files import FileAction
from sidecar.api.stored.tasks import StoredMessage
from sidecar.changes.file_change import MAX_PATH, FileChange
from sidecar.changes.line_count import count_lines
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.gemini.facts import is_wrapper, plain_text
from sidecar.history.stores.gemini.records import Message
from sidecar.history.stores.sessions.files import called_files
from sidecar.history.stores.sessions.messages import MessageWriter, raw
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.values import text

_NOTICES = {"error": "error", "info": "notice", "warning": "notice"}
_FAILED = ("error", "cancelled")
_TEXTS = ("output", "error", "text")


def stored_messages(messages: Iterable[Message]) -> Sequence[StoredMessage]:
    """Return the messages in the shape of the wire."""
    writer = MessageWriter()
    answered: set[str] = set()
    for message in messages:
        at = iso_ms(message.timestamp)
        if message.type == "user":
            shown = plain_text(message.display_content) or plain_text(message.content)
            made = is_wrapper(shown)
            writer.add("system" if made else "user", "notice" if made else "text", shown, at)
            _write_responses(writer, value_of(message.content), at, answered)
        elif message.type == "gemini":
            writer.add("assistant", "reasoning", _thoughts(message), at)
            writer.add("assistant", "text", plain_text(message.content), at)
            for call in calls_of(message):
                if _write_call(writer, call, at) and (name := text(call.get("id"))):
                    answered.add(name)
        else:
            kind = _NOTICES.get(message.type, "notice") if isinstance(message.type, str) else "notice"
            writer.add("system", kind, plain_text(message.content), at)
    return writer.messages


def touched_files(messages: Iterable[Message]) -> Iterator[FileChange]:
    """Yield the files that successful calls of tools read and changed."""
    for message in messages:
        for call in calls_of(message):
            if call.get("status") in (None, "success"):
                at = iso_ms(call.get("timestamp")) or iso_ms(message.timestamp)
                yield from files_of_call(call.get("name"), call.get("args"), call.get("resultDisplay"), at)


def files_of_call(name: object, given: object, shown: object, at: int | None) -> Iterator[FileChange]:
    """Yield the files of one call; `shown`, the result for a person, tells new files and changed lines."""
    for change in called_files(name, given, at):
        if change.actions & {"edited", "created"} and isinstance(shown, dict):
            yield _counted(change, shown)
        else:
            yield change


def calls_of(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the calls of tools in a message."""
    calls = value_of(message.tool_calls)
    return (call for call in (calls if isinstance(calls, list) else []) if isinstance(call, dict))


def shown_result(shown: object, response: object) -> str:
    """Return the result of a call as a person sees it: a diff if there is one, else its text."""
    if isinstance(shown, dict):
        diff = shown.get("fileDiff")
        return diff if isinstance(diff, str) else raw(shown)
    return text(shown) or _response_text(response)


def _counted(change: FileChange, shown: dict[str, Any]) -> FileChange:
    old, new = shown.get("originalContent"), shown.get("newContent")
    path = shown.get("filePath")
    if not isinstance(new, str):
        return change
    is_new = not isinstance(old, str) or (not old and shown.get("isNewFile") is True)
    added, deleted = count_lines(old if isinstance(old, str) else "", new)
    action: FileAction = "created" if is_new else "edited"
    named = path if isinstance(path, str) and 0 < len(path) <= MAX_PATH else change.path
    return change._replace(path=named, actions=frozenset({action}), additions=added, deletions=deleted)


def _write_call(writer: MessageWriter, call: dict[str, Any], at: int | None) -> bool:
    """Append a call and its result; return whether it has one."""
    at = iso_ms(call.get("timestamp")) or at
    writer.call(call.get("name"), call.get("id"), call.get("args"), at)
    result, status = call.get("result"), call.get("status")
    if result is None and call.get("resultDisplay") is None and status not in _FAILED:
        return False
    shown = shown_result(call.get("resultDisplay"), result)
    writer.result(call.get("id"), shown, at, failed=status in _FAILED)
    return True


def _write_responses(
    writer: MessageWriter, content: object, at: int | None, answered: Container[str]
) -> None:
    """Append the results of tools that are recorded as messages of the user, and not with their calls too."""
    for part in content if isinstance(content, list) else ():
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(answer, dict) and (text(answer.get("id")) or "") not in answered:
            response = answer.get("response")
            failed = isinstance(response, dict) and "error" in response
            writer.result(answer.get("id"), _response_text([part]), at, failed=failed)


def _response_text(result: object) -> str:
    """Return the text of the parts that a tool answered to the model."""
    texts = []
    for part in result if isinstance(result, list) else ():
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else part
        texts.append(_answer_text(response) or raw(response))
    return "\n".join(texts)


def _answer_text(response: object) -> str | None:
    members = response if isinstance(response, dict) else {}
    return next((value for name in _TEXTS if isinstance(value := members.get(name), str)), None)


def _thoughts(message: Message) -> str:
    thoughts = value_of(message.thoughts)
    parts = []
    for thought in thoughts if isinstance(thoughts, list) else ():
        if isinstance(thought, dict):
            shown = (text(thought.get("subject")), text(thought.get("description")))
            parts.append("\n".join(part for part in shown if part))
    return "\n\n".join(filter(None, parts))
