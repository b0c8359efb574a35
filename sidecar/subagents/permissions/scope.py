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
from sidecar.subagents.permissions.shortening import COMMAND_CHARS, cut_middle

SUBJECT_CHARS = 4_000
"""Longer commands have no "always", because a person would not read all of the text."""
_WORDS_CHARS = 160
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
    if question.command is not None:
        return _command(question, question.command, workspace)
    if question.paths and question.tool_kind in EDITS | READS:
        return None if inside is None else _files(question.tool_kind, inside)
    address = None if question.url is None else places.address(question.url, question.arguments or {})
    if question.tool_kind == "fetch" and address is not None:
        return Scope("host", str(address), f"requests to {address}")
    return _call(question)


def _command(question: Question, command: str, workspace: str) -> Scope | None:
    arguments = question.arguments or {"command": command}
    kept = {name: value for name, value in arguments.items() if name not in _REMARKS}
    subject = _canonical(kept).decode()
    if len(subject) > SUBJECT_CHARS:
        return None
    return Scope("command", subject, f"`{_plain(command)}` in {_place(kept, workspace)}")


def _place(arguments: Mapping[str, Any], workspace: str) -> str:
    """Return the names of all directories in which a command may run."""
    others = [
        _plain(str(each)) for each in places.directories(arguments) if each not in (".", "./", workspace)
    ]
    return " or ".join(others) or "this workspace"


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
    digest = hashlib.sha256(arguments).hexdigest()
    return Scope("call", f"{name} {digest}", f"this exact call of {_plain(name)}")


def _canonical(arguments: Mapping[str, Any]) -> bytes:
    return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)


def _plain(text: str) -> str:
    """Return text on one line without invisible characters, shortened in the middle."""
    visible = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text[:SUBJECT_CHARS])
    return cut_middle(visible, _WORDS_CHARS)
