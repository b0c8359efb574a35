"""Turn an agent's permission request into a question that a policy or a person can answer."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

from sidecar.subagents.permissions import places
from sidecar.subagents.permissions.policy import READS
from sidecar.subagents.permissions.question import FileChange, Option, Question
from sidecar.subagents.permissions.shortening import NAME_CHARS, TITLE_CHARS, cut_middle
from sidecar.subagents.runners.acp.updates import arguments as acp_arguments
from sidecar.subagents.runners.acp.updates.names import call_name, tool_name

_OPTION_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")
_TOOL_KINDS = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
)


def known_options(options: Any) -> list[dict[str, Any]]:
    """Return the options of a request that have a known kind. The meaning of others is unknown."""
    found = options if isinstance(options, list) else []
    return [each for each in found if isinstance(each, dict) and each.get("kind") in _OPTION_KINDS]


def question_of(call: Mapping[str, Any], options: list[dict[str, Any]]) -> Question:
    """Return the question for a request's `toolCall` and known options. Cuts its texts to their limits."""
    raw, call_id = call.get("rawInput"), call.get("toolCallId")
    arguments = raw if isinstance(raw, Mapping) else {}
    command, name = acp_arguments.command(raw), tool_name(call)
    changes = tuple(_changes(call))
    return Question(
        request_id=str(uuid4()),
        title=cut_middle(_text(call.get("title")) or call_name(call), TITLE_CHARS),
        options=_with_always(
            Option(str(each.get("optionId")), cut_middle(str(each.get("name")), NAME_CHARS), each["kind"])
            for each in options
        ),
        tool_kind=_kind(call.get("kind"), raw, runs=command is not None, changes=bool(changes)),
        tool_name=None if name is None else cut_middle(name, NAME_CHARS),
        tool_call_id=call_id if isinstance(call_id, str) else None,
        arguments=arguments or None,
        paths=tuple(dict.fromkeys(_paths(call))),
        changes=changes,
        command=None if command is None else command.text,
        is_line=command is None or command.is_line,
        url=acp_arguments.url(raw),
    )


def _kind(kind: Any, raw: Any, *, runs: bool, changes: bool) -> str:
    """Return the kind from what a call does, since an agent may label a command or an edit as a read."""
    if runs:
        return "execute"
    if not isinstance(kind, str):
        return "other"
    if kind in READS and acp_arguments.has_remote_url(raw):
        return "fetch"
    if kind in READS and (changes or (kind != "think" and acp_arguments.writes(raw))):
        return "edit"
    return kind if kind in _TOOL_KINDS else "other"


def _with_always(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return the options, and add "always" if an agent offers only to allow once.

    Some agents do so if a rule makes them ask. The sidecar remembers the permission and answers "once".
    """
    offered = tuple(options)
    kinds = {option.kind for option in offered}
    if "allow_once" not in kinds or "allow_always" in kinds:
        return offered
    return (*offered, Option(f"sidecar-always-{uuid4()}", "Always allow", "allow_always"))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _paths(call: Mapping[str, Any]) -> Iterator[str]:
    for member in ("locations", "content"):
        yield from (part["path"] for part in _parts(call, member) if isinstance(part.get("path"), str))
    yield from places.files(call.get("rawInput"))


def _changes(call: Mapping[str, Any]) -> Iterator[FileChange]:
    for part in _parts(call, "content"):
        path, new = part.get("path"), part.get("newText")
        if part.get("type") == "diff" and isinstance(path, str) and isinstance(new, str):
            yield FileChange(path, part.get("oldText") if isinstance(part.get("oldText"), str) else None, new)


def _parts(call: Mapping[str, Any], member: str) -> Iterator[Mapping[str, Any]]:
    parts = call.get(member)
    yield from (part for part in (parts if isinstance(parts, list) else []) if isinstance(part, Mapping))
