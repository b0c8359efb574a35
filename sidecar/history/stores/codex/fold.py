"""Fold the records of a session's file into facts. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID

from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.times import iso_ms, sortable
from sidecar.history.stores.codex.prompts import error_of, event_of, text_of_parts, typed
from sidecar.history.stores.codex.records import Payload, Record
from sidecar.history.stores.codex.sums import Figures, Sums, usage_of

State = Literal["empty", "open", "answered", "cancelled", "failed"]

_REPLAY_GAP_MS: Final = 100
"""Records copied from another session are written at once: a longer pause ends them."""
_UNDATED_GAP_MS: Final = 1_000
"""The pause that ends copied records without IDs of turns, which are written within a second."""
_UUID_WITH_TIME: Final = 7
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_MAX_TITLE: Final = 20_000


@dataclass(slots=True)
class Messages:
    """The own messages of a session, as events or as items report them."""

    prompts: int = 0
    answers: int = 0
    title: str = ""
    state: State = "empty"

    def prompt(self, text: str) -> None:
        """Count a prompt."""
        self.prompts += 1
        self.title = self.title or text[:_MAX_TITLE]
        self.state = "open"


@dataclass(slots=True)
class Facts:
    """The facts of one session, from its file; copied records count for the title only."""

    id: str = ""
    created: str = ""
    last: str = ""
    cwd: str = ""
    model: str = ""
    is_child: bool = False
    parent: str = ""
    nickname: str = ""
    copied_title: str = ""
    events: Messages = field(default_factory=Messages)
    items: Messages = field(default_factory=Messages)
    usage: Figures | None = None
    """The own tokens; None if no answer reported any."""
    answers: list[tuple[str, Figures]] = field(default_factory=list)
    """The own tokens of each answer, with its model."""

    @property
    def is_task(self) -> bool:
        """Return whether a person or a model wrote anything of its own."""
        return bool(self.messages.prompts or self.messages.answers)

    @property
    def messages(self) -> Messages:
        """Return the messages that events report; those of items in files without such events."""
        return self.events if self.events.prompts or self.events.answers else self.items


class FileFold:
    """Fold the records of one file.

    A fork or a subagent begins with a copy of another session's records under new times, which ends with
    the first own turn: the IDs of turns and sessions hold the time at which they were made. Without IDs of
    turns, it ends with a pause of a second. Later versions name the other session and copy nothing, but their
    sums include its tokens.
    """

    __slots__ = (
        "_answered",
        "_are_turns_dated",
        "_failed",
        "_replay",
        "_since",
        "_sums",
        "_turn_model",
        "_unsummed",
        "facts",
    )

    def __init__(self) -> None:
        self.facts = Facts()
        self._replay = False
        self._since: int | None = None
        """The time of the last copied record in ms."""
        self._are_turns_dated = False
        """Whether a copied turn had an ID."""
        self._sums = Sums()
        self._unsummed = Figures()
        """The tokens of answers that are in no sum: it follows once a tool has run, or never after a kill."""
        self._answered = False
        """Whether the model answered in this session, for a person or for a summary."""
        self._turn_model = ""
        self._failed = False
        """Whether the current turn reported an error."""

    def take(self, records: Iterable[Record]) -> None:
        """Add records in the order of the file."""
        for record in records:
            payload = record.payload
            if payload is None:
                self._take_bare(record)
            elif record.type == "session_meta":
                self._take_meta(record, payload)
            else:
                self._take(record, payload)

    def _take_meta(self, record: Record, payload: Payload) -> None:
        facts = self.facts
        if facts.id:  # of the session that was copied
            self._replay = self._replay or not facts.is_task
            return
        facts.id = payload.id or ""
        facts.created = sortable(payload.timestamp or record.timestamp)
        facts.last = sortable(record.timestamp)
        facts.cwd = payload.cwd or ""
        spawned = _subagent(payload)
        facts.is_child = spawned is not None or payload.parent_thread_id is not None
        facts.parent = payload.parent_thread_id or _text(spawned, "parent_thread_id")
        facts.nickname = payload.agent_nickname or _text(spawned, "agent_nickname")
        if facts.is_child and not facts.parent:
            facts.parent = payload.forked_from_id or ""
        self._replay = self._sums.is_forked = bool(payload.forked_from_id or facts.parent)
        self._since = iso_ms(record.timestamp)

    def _take(self, record: Record, payload: Payload) -> None:
        if self._replay and self._is_own(record, payload):
            self._replay = False
        kind = payload.type if record.type in ("event_msg", "response_item") else record.type
        if self._replay:
            self._take_copied(kind, payload)
            return
        if record.timestamp and (time := sortable(record.timestamp)) > self.facts.last:
            self.facts.last = time
        self._answered = self._answered or _is_answer(record.type, payload)
        if record.type == "event_msg":
            self._take_event(*event_of(payload), payload)
        elif kind == "turn_context":
            self._turn_model = payload.model or self._turn_model
            self.facts.cwd = self.facts.cwd or payload.cwd or ""
        elif kind == "token_usage_record":
            self._take_answer_usage(payload)
        elif record.type == "response_item":
            self._take_item(kind, payload.role, text_of_parts(payload.content) if payload.role else "")

    def _is_own(self, record: Record, payload: Payload) -> bool:
        """Return whether the copied records end before this one."""
        turn = payload.turn_id if payload.type == "task_started" or record.type == "turn_context" else None
        made, own = _made_ms(turn), _made_ms(self.facts.id)
        at, since = iso_ms(record.timestamp), self._since
        self._since = at
        self._are_turns_dated = self._are_turns_dated or made is not None
        if made is not None and own is not None:
            return made >= own
        pause = at - since if at is not None and since is not None else 0
        if own is None or turn is not None:
            return pause > _REPLAY_GAP_MS
        return not self._are_turns_dated and pause >= _UNDATED_GAP_MS

    def _take_copied(self, kind: str, payload: Payload) -> None:
        if kind == "token_count" and payload.info is not None and payload.info.total_token_usage is not None:
            self._sums.copied(payload.info)
        elif not self.facts.copied_title and event_of(payload)[0] == "user_message":
            self.facts.copied_title = typed(event_of(payload)[1], payload.kind)[:_MAX_TITLE]
        elif kind == "turn_context":
            self.facts.cwd = self.facts.cwd or payload.cwd or ""

    def _take_event(self, kind: str, text: str | None, payload: Payload) -> None:
        facts = self.facts
        events = facts.events
        match kind:
            case "user_message":
                if prompt := typed(text, payload.kind):
                    events.prompt(prompt)
                    self._failed = False
            case "agent_message":
                events.answers += 1
                facts.model = self._turn_model or facts.model
                if events.state == "empty":
                    events.state = "open"
            case "task_started" | "turn_started":
                events.state, self._failed = "open", False
            case "task_complete" | "turn_complete":
                has_error = self._failed or error_of(payload) is not None
                failed = has_error and not payload.last_agent_message
                events.state = "failed" if failed else "answered"
            case "turn_aborted":
                events.state = "cancelled"
            case "error":
                events.state, self._failed = "failed", True
            case "token_count":
                before = self._sums.own or Figures()
                if payload.info is not None and self._sums.take(payload.info, answered=self._answered):
                    self._unsummed = self._unsummed.without(self._sums.own or before, before)
                    facts.model = self._turn_model or facts.model
                    self._take_tokens(self._all_tokens())

    def _take_answer_usage(self, payload: Payload) -> None:
        """Take the tokens of one answer, which count apart until a sum includes them."""
        used = usage_of(payload)
        if used is None or payload.thread_id not in (None, self.facts.id):
            return
        self._unsummed = self._unsummed.plus(used)
        self.facts.model = self._turn_model or self.facts.model
        self._take_tokens(self._all_tokens())

    def _all_tokens(self) -> Figures:
        return (self._sums.own or Figures()).plus(self._unsummed)

    def _take_tokens(self, own: Figures | None) -> None:
        """Take the own tokens after an answer."""
        facts = self.facts
        before, facts.usage = facts.usage or Figures(), own
        if own is not None and own != before:
            used = Figures.positive(new - old for new, old in zip(own, before, strict=True))
            facts.answers.append((facts.model, used))

    def _take_bare(self, record: Record) -> None:
        """Take a line of the first versions, which have no envelope and no events."""
        facts = self.facts
        time = sortable(record.timestamp) if record.timestamp else ""
        if not facts.id and record.id and not record.type:
            facts.id, facts.created = record.id, time
        if time > facts.last:
            facts.last = time
        if record.type:
            self._take_item(record.type, record.role, text_of_parts(record.content) if record.role else "")

    def _take_item(self, kind: str, role: str | None, text: str) -> None:
        facts = self.facts
        items = facts.items
        if kind == "message" and role == "user":
            if prompt := typed(text):
                items.prompt(prompt)
        elif kind == "message" and role == "assistant":
            items.answers += 1
            items.state = "answered"
            facts.model = facts.model or self._turn_model
        elif kind in _CALLS:
            items.state = "open"


def _is_answer(kind: str, payload: Payload) -> bool:
    """Return whether a record is, or is about, an answer of the model."""
    if kind == "token_usage_record" or payload.type == "agent_message":
        return True
    if kind != "response_item":
        return False
    return payload.type in _CALLS or payload.type == "reasoning" or payload.role == "assistant"


def _subagent(payload: Payload) -> dict[str, Any] | None:
    """Return what a session says of being a subagent, None if it is not one."""
    source = value_of(payload.source)
    kind = source.get("subagent") if isinstance(source, dict) else None
    if kind is None:
        return None
    spawn = kind.get("thread_spawn") if isinstance(kind, dict) else None
    return spawn if isinstance(spawn, dict) else {}


def _text(members: dict[str, Any] | None, name: str) -> str:
    value = members.get(name) if members is not None else None
    return value if isinstance(value, str) else ""


def _made_ms(name: str | None) -> int | None:
    """Return the time in ms in a UUID of version 7; None for others."""
    if not name or len(name) != 36 or name[14] != "7":
        return None
    try:
        return UUID(name).int >> 80
    except ValueError:
        return None
