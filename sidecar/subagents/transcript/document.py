"""The transcript of a run so far, in bounded memory."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from sidecar.changes.file_change import FileChange
from sidecar.changes.fold import ChangesFold
from sidecar.subagents.journal import codec

Outcome = Literal["completed", "failed", "cancelled"]
EntryKind = Literal["text", "reasoning", "tool", "user_feedback"]

TEXT_LIMIT = 8 << 20
"""Characters of a run kept in its transcript; the journal's events hold all of them."""
GOAL_LIMIT = 1 << 20
END_LIMIT = 256 << 10
ENTRY_COST = 200
"""Characters that the JSON frame of an entry takes in addition to its text."""

_CUT_NOTE = "[The transcript is cut here: it keeps 8 MiB of a run; the run's events hold the rest.]"
_FRAME = frozenset({"seq", "ts", "type"})
_NUMBERS = (
    ("inputTokens", "tokensIn"),
    ("outputTokens", "tokensOut"),
    ("cacheReads", "cacheReads"),
    ("cacheWrites", "cacheWrites"),
    ("cost", "cost"),
)


@dataclass(frozen=True, kw_only=True)
class TranscriptHead:
    """The facts known when a run starts; `started_at` in ms since the epoch."""

    task_id: str
    goal: str
    subagent_name: str
    workspace_dir: str
    started_at: int
    parent_task_id: str | None = None
    root_task_id: str | None = None


@dataclass(frozen=True)
class End:
    """How a run ended, and when (ms since the epoch)."""

    outcome: Outcome
    at: int
    final_message: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, thought or tool call of the run; `text` is JSON for a tool."""

    kind: EntryKind
    ts: int
    text: str


@dataclass(frozen=True)
class Snapshot:
    """A document at one moment, safe to render in another thread; `usage` uses the layout's member names.

    `model` is the last model of the agent's session and `session` its ID in the agent's own store; `changes`
    are the files that the run changed, None if there are none.
    """

    head: TranscriptHead
    entries: tuple[Entry, ...]
    usage: dict[str, Any]
    end: End | None
    model: str | None
    session: str | None
    changes: tuple[FileChange, ...] | None


@dataclass(slots=True)
class _Growing:
    kind: EntryKind
    ts: int
    pieces: list[str]

    def freeze(self) -> Entry:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return Entry(self.kind, self.ts, self.pieces[0])


class TranscriptDocument:
    """Folds a run's events; entries beyond the limit are left out, with a note in the transcript.

    `changes` is the run's own fold of changed files, which receives each event first.
    """

    def __init__(self, head: TranscriptHead, changes: ChangesFold | None = None) -> None:
        self._head = replace(head, goal=_cut(head.goal, GOAL_LIMIT))
        self._entries: list[_Growing] = []
        self._usage: dict[str, Any] = {}
        self._end: End | None = None
        self._model: str | None = None
        self._session: str | None = None
        self._changes = changes or ChangesFold(head.workspace_dir)
        self._owns_changes = changes is None
        self._seen_changes = 0
        self._room = TEXT_LIMIT
        self._is_cut = False
        self._speeches: dict[EntryKind, tuple[object, _Growing]] = {}
        self._tools: dict[str, tuple[_Growing, dict[str, Any]]] = {}

    def record(self, event: dict[str, Any]) -> bool:
        """Add one event (with its `ts`); return whether the transcript changed."""
        match event["type"]:
            case "message":
                return self._say("user_feedback" if event.get("role") == "user" else "text", event)
            case "thought":
                return self._say("reasoning", event)
            case "tool":
                has_new_changes = self._has_new_changes(event)
                return self._tool(event) or has_new_changes
            case "emit":
                return self._add("tool", event["ts"], _json({"tool": "emit", **_rest(event)})) is not None
            case "usage":
                return self._count(event)
            case "state":
                return self._run_with(event.get("model"), event.get("sessionTaskId"))
            case _:
                return False

    def finish(self, end: End) -> bool:
        """Set the end if there is none yet; return whether it was set."""
        if self._end is not None:
            return False
        final, error = (text and _cut(text, END_LIMIT) for text in (end.final_message, end.error))
        self._end = replace(end, final_message=final, error=error)
        return True

    def snapshot(self) -> Snapshot:
        """Return the document as it is now."""
        entries = tuple(entry.freeze() for entry in self._entries)
        changes = self._changes.files() if self._changes.revision else None
        return Snapshot(
            self._head, entries, _usage(self._usage), self._end, self._model, self._session, changes
        )

    def _has_new_changes(self, event: dict[str, Any]) -> bool:
        if self._owns_changes:
            self._changes.take(event)
        before, self._seen_changes = self._seen_changes, self._changes.revision
        return before != self._seen_changes

    def _say(self, kind: EntryKind, event: dict[str, Any]) -> bool:
        text, message_id = str(event.get("text", "")), event.get("messageId")
        last_id, last = self._speeches.get(kind, (None, None))
        if last is None or last_id != message_id:
            last = self._add(kind, event["ts"], "")
            if last is None:
                return False
            self._speeches[kind] = message_id, last
        kept = text[: self._room]
        if kept:
            last.pieces.append(kept)
        self._spend(len(text), event["ts"])
        return bool(kept)

    def _tool(self, event: dict[str, Any]) -> bool:
        name = str(event.get("name", ""))
        key = str(event.get("toolCallId", name))
        growing, payload = self._tools.pop(key, (None, {}))
        payload.update(_rest(event), tool=name)
        payload.pop("name", None)
        text = _json(payload)
        if growing is None:
            growing = self._add("tool", event["ts"], text)
        else:
            growing.pieces = [text] if len(text) <= self._room else growing.pieces
            self._spend(len(text), event["ts"])
        if growing is None:
            return False
        if event.get("status") == "started":
            self._tools[key] = growing, payload
        return True

    def _count(self, event: dict[str, Any]) -> bool:
        before = dict(self._usage)
        for member, name in _NUMBERS:
            value = event.get(member)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self._usage[name] = value
        return self._usage != before

    def _run_with(self, model: object, session: object) -> bool:
        before = (self._model, self._session)
        if isinstance(model, str) and model:
            self._model = model
        if isinstance(session, str) and session:
            self._session = session
        return before != (self._model, self._session)

    def _add(self, kind: EntryKind, ts: int, text: str) -> _Growing | None:
        cost = len(text) + ENTRY_COST
        growing = _Growing(kind, ts, [text]) if cost <= self._room else None
        if growing is not None:
            self._entries.append(growing)
        self._spend(cost, ts)
        return growing

    def _spend(self, cost: int, ts: int) -> None:
        if cost > self._room and not self._is_cut:
            self._is_cut = True
            self._entries.append(_Growing("text", ts, [_CUT_NOTE]))
        self._room = max(0, self._room - cost)


def _usage(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return usage with cache reads and writes included in `tokensIn`, as in Roo Code since 3.29.5."""
    if "tokensIn" not in numbers:
        return dict(numbers)
    parts = (numbers.get(name, 0) for name in ("tokensIn", "cacheReads", "cacheWrites"))
    return {**numbers, "tokensIn": sum(parts)}


def _json(payload: dict[str, Any]) -> str:
    return codec.encode(payload).decode()


def _rest(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in _FRAME}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {len(text) - limit} more characters]"
