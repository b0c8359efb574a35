"""What a list shows of a chat of Qwen Code, from its records. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.records import LineDecoder
from sidecar.history.stores.sessions.session import End
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.usage import Usage, tokens
from sidecar.history.stores.sessions.values import text


class Record(msgspec.Struct, rename="camel", gc=False):
    """One line: `type` is `user`, `assistant`, `tool_result` or `system`."""

    uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    type: Any = None
    subtype: Any = None
    provenance: Any = None
    cwd: Any = None
    model: Any = None
    message: msgspec.Raw = msgspec.Raw()
    usage_metadata: Any = None
    tool_call_result: msgspec.Raw = msgspec.Raw()
    system_payload: msgspec.Raw = msgspec.Raw()
    forked_from: Any = None
    """The record of another session of which this is a copy."""


RECORDS: Final = LineDecoder(Record)
_COMMAND: Final = re.compile(r"[/?](?:[A-Za-z][\w:-]{0,63})?(?:\s|$)")
"""A command of the product, such as `/stats`; a path continues with another slash."""
_WRAPPERS: Final = ("<system-reminder>", "<session_context>", "<state_snapshot>")
_API_ERROR: Final = "qwen-code.api_error"


class Fact(msgspec.Struct, gc=False, frozen=True):
    """What a list needs of one record. `end` is None if it does not change how the session ends."""

    prompt: str | None = None
    is_answer: bool = False
    model: str | None = None
    used: Usage | None = None
    end: End | None = None
    is_copied: bool = False
    """Whether the record is another session's, so that it is here for the title only."""


class ChatFold:
    """The state after all records of one file so far.

    `facts` are by the `uuid` of their record; of two with the same, the one with the larger output counts.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.workspace: str | None = None
        self.facts: dict[str, Fact] = {}
        self._unnamed = 0

    def take(self, records: Iterable[Record]) -> None:
        """Continue with the records that follow."""
        for record in records:
            copied = record.forked_from is not None
            if not copied and (at := iso_ms(record.timestamp)) is not None:
                self.first = at if self.first is None else min(self.first, at)
                self.last = at if self.last is None else max(self.last, at)
            self.workspace = self.workspace or text(record.cwd)
            fact = fact_of(record)
            if fact is not None and copied:
                fact = Fact(fact.prompt, is_copied=True)
            if fact is not None:
                self._add(record.uuid, fact)

    def _add(self, uuid: Any, fact: Fact) -> None:
        if not isinstance(uuid, str):
            self._unnamed += 1
            uuid = f"\0{self._unnamed}"
        known = self.facts.get(uuid)
        if known is None or output_of(fact) >= output_of(known):
            self.facts[uuid] = fact


def fact_of(record: Record) -> Fact | None:
    """Judge one record; None if a list does not need it."""
    match record.type:
        case "user" if is_notification(record):
            return Fact(end="open")
        case "user":
            typed = prompt_of(record)
            return Fact(prompt=typed, end="open") if typed is not None else None
        case "assistant":
            called = any("functionCall" in part for part in parts_of(record))
            used = usage_of(record.usage_metadata)
            return Fact(None, True, text(record.model), used, "open" if called else "answered")
        case "tool_result":
            result = value_of(record.tool_call_result)
            cancelled = isinstance(result, dict) and result.get("status") == "cancelled"
            return Fact(end="cancelled" if cancelled else "open")
        case "system" if record.subtype == "ui_telemetry":
            return Fact(end="failed") if is_error(value_of(record.system_payload)) else None
    return None


def is_notification(record: Record) -> bool:
    """Return whether the product wrote a record in the name of the user, such as that a subagent ended."""
    return bool(record.subtype == "notification" or record.provenance == "system")


def prompt_of(record: Record) -> str | None:
    """Return what a person typed; None for a command and for a text of the product."""
    typed = plain_text(record)
    if not typed.strip() or is_wrapper(typed) or _COMMAND.match(typed):
        return None
    return typed


def is_wrapper(shown: str) -> bool:
    """Return whether the product wrote a text in the name of the user."""
    return shown.startswith(_WRAPPERS)


def plain_text(record: Record) -> str:
    """Return the text of a record's message, without the model's thoughts."""
    texts = (part.get("text") for part in parts_of(record) if not part.get("thought"))
    return "".join(text for text in texts if isinstance(text, str))


def parts_of(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the parts of a record's message."""
    message = value_of(record.message)
    parts = message.get("parts") if isinstance(message, dict) else None
    return (part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, dict))


def usage_of(recorded: Any) -> Usage | None:
    """Read the tokens of an answer; None if they are not recorded.

    The prompt includes what was read from a cache. Whether the candidates include the thoughts depends on the
    model's service; the total tells.
    """
    if not isinstance(recorded, dict):
        return None
    given, made = tokens(recorded.get("promptTokenCount")), tokens(recorded.get("candidatesTokenCount"))
    if given is None and made is None:
        return None
    cached = min(tokens(recorded.get("cachedContentTokenCount")) or 0, given or 0)
    thoughts = tokens(recorded.get("thoughtsTokenCount")) or 0
    total = tokens(recorded.get("totalTokenCount"))
    apart = total is not None and total >= (given or 0) + (made or 0) + thoughts
    output = (made or 0) + (thoughts if apart else 0)
    return Usage(input=(given or 0) - cached, output=output, cache_reads=cached, cache_writes=0)


def output_of(fact: Fact) -> int:
    """Return the output tokens of a fact, -1 if it has none."""
    return fact.used.output or 0 if fact.used is not None else -1


def is_error(payload: Any) -> bool:
    """Return whether what a record of telemetry holds is an error of the model's service."""
    event = payload.get("uiEvent") if isinstance(payload, dict) else None
    return isinstance(event, dict) and event.get("event.name") == _API_ERROR
