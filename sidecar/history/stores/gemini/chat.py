"""The state of a chat file after all of its records. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.complexity import is_too_wide
from sidecar.history.stored.parsing import clean
from sidecar.history.stored.problems import problem
from sidecar.history.stores.gemini.facts import fact_of
from sidecar.history.stores.gemini.records import (
    MESSAGES,
    Line,
    Message,
    Patch,
    decode_line,
    decode_patch,
    is_document,
    parse_document,
    split_lines,
)
from sidecar.history.stores.sessions.times import iso_ms

T = TypeVar("T")
_NO_CALLS: Final = len("[]")
_NAMES: Final = ("session_id", "start_time", "last_updated", "summary", "kind", "directories")


class Chat(Generic[T]):
    """A chat file: its metadata, and what is kept of each message, by the message's ID.

    `keep` says what is kept. `removed` has the IDs of messages that were taken back. A process that opens a
    chat again repeats the metadata and then sets the messages to its own context, without the conversation:
    that takes nothing back. If it then sets them to the conversation, it leaves out the tokens and writes new
    times, so that what is known of a message stays. One that opens the chat in a later minute writes its
    context to another file, and only repeats the ID of the session here. It also leaves out an answer without
    a text whose calls are recorded apart; that one stays with its calls.
    """

    def __init__(self, name: str, keep: Callable[[Message], T]) -> None:
        self.name = name
        self.metadata: dict[str, Any] = {}
        self.messages: dict[str, T] = {}
        self.removed: set[str] = set()
        self.problems: list[Problem] = []
        self.first: int | None = None
        self.last: int | None = None
        """The times of the first and last record, in ms."""
        self._keep = keep
        self._restarted = False
        """Whether another process continues the chat, and has not written its context yet."""
        self._repeats = False
        """Whether such a process has written no message of its own yet."""
        self._answers: dict[str, str] = {}
        """The IDs of answers by those of the messages with their calls, where these are recorded apart."""
        self._last_answer: str | None = None
        """The ID of the message before, if it may be such an answer."""
        self._unnamed = 0
        self._bad_lines = 0

    def read(self, data: bytes) -> None:
        """Read a whole file of either form."""
        if not data:
            return
        if is_document(data):
            patch, messages, problems = parse_document(data, self.name)
            self._patch(patch)
            self._add(messages)
            self.problems += problems
            return
        whole, ended, rest = data.rpartition(b"\n")
        cleaned, problems = clean(whole + ended, self.name)
        self.problems += problems
        for line in split_lines(cleaned):
            self._read_line(line)
        rest, found = clean(rest, self.name) if rest.strip() else (b"", [])
        self.problems += [each for each in found if each.code == "padding"]
        self._read_last(rest.strip(), is_only=not cleaned.strip())
        if self._bad_lines:
            message = f"{self.name}: {self._bad_lines} lines are unreadable"
            self.problems.append(problem("malformed", message))

    def take(self, lines: Sequence[Line]) -> None:
        """Read the next lines."""
        for line in lines:
            self._apply(line)

    def _read_line(self, data: bytes) -> None:
        line = None if is_too_wide(data) else decode_line(data)
        if line is None:
            self._bad_lines += 1
        else:
            self._apply(line)

    def _read_last(self, data: bytes, is_only: bool) -> None:
        """Read what follows the last line end: a whole line, or one that is still being written."""
        line = decode_line(data)
        if line is not None:
            self._apply(line)
        elif is_only and data:
            self.problems.append(problem("cut", f"{self.name} ends in its first line"))

    def _apply(self, line: Line) -> None:
        if line.rewind_to is not msgspec.UNSET:
            self._rewind(line.rewind_to)
        elif len(line.set):
            patch = decode_patch(line.set)
            if patch is not None:
                self._repeats = self._repeats or (patch.session_id is not None and bool(self.messages))
                self._patch(patch)
        elif line.id is not None:
            self._restarted = self._repeats = False
            self._add([line])
        else:
            self._restarted = self._repeats = line.session_id is not None and bool(self.messages)
            self._patch(line)

    def _patch(self, patch: Patch | Line) -> None:
        for name in _NAMES:
            value = getattr(patch, name)
            if value is not None:
                self.metadata[name] = value
        for value in (patch.start_time, patch.last_updated):
            self._note(iso_ms(value))
        if isinstance(patch, Line) or len(patch.messages):
            self._replace(patch)

    def _replace(self, patch: Patch | Line) -> None:
        if not len(patch.messages) or bytes(patch.messages) == b"null":
            return
        parsed = MESSAGES.parse(bytes(patch.messages), self.name)
        is_context = self._restarted and not any(fact_of(each).counts for each in parsed.records)
        self._restarted = False
        known = self.messages
        if not is_context:
            self.removed |= known.keys()
            self.messages = {}
        self._add(parsed.records)
        if not is_context:
            self._keep_answers(known)
        if self._repeats:
            self.messages.update((name, known[name]) for name in known.keys() & self.messages.keys())
        self.problems += parsed.problems

    def _keep_answers(self, known: Mapping[str, T]) -> None:
        """Keep the answers that are left out, though their calls are not."""
        kept = self.messages
        if self._answers.keys().isdisjoint(kept):
            return
        self.messages = {}
        for name, message in kept.items():
            answer = self._answers.get(name)
            if answer is not None and answer in known and answer not in kept:
                self.messages[answer] = known[answer]
                self.removed.discard(answer)
            self.messages[name] = message

    def _rewind(self, wanted: Any) -> None:
        """Take back a message and all after it; all messages if it is not known."""
        ids = [*self.messages]
        start = ids.index(wanted) if isinstance(wanted, str) and wanted in self.messages else 0
        for each in ids[start:]:
            del self.messages[each]
            self.removed.add(each)

    def _add(self, messages: list[Message]) -> None:
        for message in messages:
            name = message.id
            if not isinstance(name, str):
                self._unnamed += 1
                name = f"\0{self._unnamed}"
            self.messages[name] = self._keep(message)
            self.removed.discard(name)
            self._pair(name, message)
            self._note(iso_ms(message.timestamp))

    def _pair(self, name: str, message: Message) -> None:
        """Note whether a message has the calls of the answer before, or may be an answer without calls."""
        has_tokens, has_calls = isinstance(message.tokens, dict), len(message.tool_calls) > _NO_CALLS
        if has_calls and not has_tokens and self._last_answer is not None:
            self._answers.setdefault(name, self._last_answer)
        self._last_answer = name if has_tokens and not has_calls else None

    def _note(self, moment: int | None) -> None:
        if moment is not None:
            self.first = moment if self.first is None else min(self.first, moment)
            self.last = moment if self.last is None else max(self.last, moment)
