"""Decide what an "always" covers, with one pure function for the memory and for the button."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sidecar.api.runs.permissions import Coverage
from sidecar.subagents.permissions import places
from sidecar.subagents.permissions.policy import EDITS, READS
from sidecar.subagents.permissions.question import Question
from sidecar.subagents.permissions.shortening import COMMAND_CHARS, LEFT_OUT, cut_middle

SUBJECT_CHARS = 4_000
"""Longer commands have no "always", because a person would not read all of the text."""
_WORDS_CHARS = 140
_DIGEST_CHARS = 8
_NAMED_PATHS = 3
"""How many files fit on a button."""
_REMARKS = frozenset(
    {"description", "reason", "justification", "timeout", "timeout_ms", "timeoutMs"}
    | {"call_id", "callId", "turn_id", "turnId", "approval_id", "approvalId", "parsed_cmd"}
)
"""Arguments that do not affect a command but differ between calls."""
_DOING = {"edit": "edits to", "delete": "deleting", "move": "moving"}


@dataclass(frozen=True)
class Scope:
    """The exact coverage of an "always": `subject` is compared, `words` are for people."""

    covers: Coverage
    subject: str | None
    words: str


def scope_of(question: Question, workspace: str, inside: Sequence[str] | None) -> Scope | None:
    """Return what an "always" to a question would cover; None if that cannot be named exactly.

    `inside` has the question's files relative to the workspace; None if one is outside.
    """
    if not question.is_exact:
        return None
    if question.command is not None:
        return _command(question, question.command, workspace)
    if question.paths and question.tool_kind in EDITS | READS:
        return None if inside is None else _files(question.tool_kind, inside)
    address = None if question.url is None else places.address(question.url, question.arguments or {})
    if question.tool_kind == "fetch" and address is not None:
        return Scope("host", str(address), f"requests to {address}")
    return _call(question)


def _command(question: Question, command: str, workspace: str) -> Scope | None:
    kept = _compared(question.arguments or {"command": command}, workspace)
    subject = _canonical(kept).decode()
    if len(subject) > SUBJECT_CHARS:
        return None
    # Without a command line, the text is JSON that shows all arguments.
    others = _others(kept, command) if question.is_line else {}
    room = _WORDS_CHARS // (2 if others else 1)
    as_list = " as separate words" if isinstance(kept.get("command"), list) and question.is_line else ""
    words = f"`{_plain(command, room)}`{as_list} in {_place(kept, room)}"
    if others:
        words += f", with {_plain(_canonical(others).decode(), room)}"
    return Scope("command", subject, _distinct(words, subject))


def _compared(arguments: Mapping[str, Any], workspace: str) -> dict[str, Any]:
    """Return the arguments that affect a command."""
    kept = {name: value for name, value in arguments.items() if name not in _REMARKS}
    for name in list(places.members_with_directories(kept)):
        if kept[name] in (".", "./", workspace):
            del kept[name]
    if "cmd" in kept and "command" not in kept:
        kept["command"] = kept.pop("cmd")
    return kept


def _others(kept: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Return the arguments that neither the command nor its directory shows."""
    shown = {"command", *places.members_with_directories(kept)}
    others = {name: value for name, value in kept.items() if name not in shown}
    given = kept.get("command")
    return others if given == command or isinstance(given, list) else {**others, "command": given}


def _place(kept: Mapping[str, Any], room: int) -> str:
    """Return all directories in which a command may run, and the unusual names of their arguments."""
    named = [
        _plain(str(kept[name]), room) + ("" if name == "cwd" else f" ({_plain(name, room)})")
        for name in places.members_with_directories(kept)
    ]
    return " or ".join(named) or "this workspace"


def _files(kind: str, inside: Sequence[str]) -> Scope | None:
    if kind in READS:
        doing = "searches" if kind == "search" else "reads"
        return Scope("reads", None, f"{doing} in this workspace")
    if len(inside) > _NAMED_PATHS:
        return None
    subject = orjson.dumps(list(inside)).decode()
    return Scope("paths", subject, f"{_DOING[kind]} {', '.join(map(_plain, inside))}")


def _call(question: Question) -> Scope | None:
    """Return the scope for a tool and all its arguments; a title alone is not specific enough."""
    if not question.arguments:
        return None
    name = question.tool_name or question.title
    arguments = _canonical(question.arguments)
    if len(arguments) > COMMAND_CHARS:  # clients show only a part of them
        return None
    subject = f"{name} {hashlib.sha256(arguments).hexdigest()}"
    shown = f"{_plain(name, _WORDS_CHARS // 2)}: {_plain(arguments.decode(), _WORDS_CHARS // 2)}"
    return Scope("call", subject, _distinct(f"this exact call of {shown}", subject))


def _distinct(words: str, subject: str) -> str:
    """Add a part of a digest if the words are cut, so that different scopes never read alike."""
    if LEFT_OUT not in words:
        return words
    return f"{words} (#{hashlib.sha256(subject.encode()).hexdigest()[:_DIGEST_CHARS]})"


def _canonical(arguments: Mapping[str, Any]) -> bytes:
    return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)


def _plain(text: str, room: int = _WORDS_CHARS) -> str:
    """Return text on one line without invisible characters, shortened in the middle."""
    visible = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text[:SUBJECT_CHARS])
    return cut_middle(visible, room)
