"""A permission request of an agent, as a question with options that a policy or a person can answer."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from sidecar.subagents.permission_policy import Option, Question
from sidecar.subagents.runners.acp_tools import call_name

_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


def known_options(options: Any) -> list[dict[str, Any]]:
    """Return the options of a request whose kind is known; to take another would be a guess."""
    found = options if isinstance(options, list) else []
    return [each for each in found if isinstance(each, dict) and each.get("kind") in _KINDS]


def question_of(call: Mapping[str, Any], options: list[dict[str, Any]]) -> Question:
    """Return the question that a request's `toolCall` and known options are."""
    kind, name, call_id = call.get("kind"), call.get("name"), call.get("toolCallId")
    return Question(
        request_id=str(uuid4()),
        title=_title(call),
        options=tuple(
            Option(str(each.get("optionId")), str(each.get("name")), each["kind"]) for each in options
        ),
        tool_kind=kind if isinstance(kind, str) else "other",
        tool_name=name if isinstance(name, str) else None,
        tool_call_id=call_id if isinstance(call_id, str) else None,
        subject=_subject(call),
        paths=tuple(dict.fromkeys(_paths(call))),
    )


def _title(call: Mapping[str, Any]) -> str:
    title = call.get("title")
    return title if isinstance(title, str) and title else call_name(call)


def _subject(call: Mapping[str, Any]) -> str:
    """Return what exactly would be done, as far as the agent says: the command line, else the title."""
    given = call.get("rawInput")
    command = given.get("command") if isinstance(given, Mapping) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return command if isinstance(command, str) and command else _title(call)


def _paths(call: Mapping[str, Any]) -> Iterator[str]:
    for member in ("locations", "content"):
        parts = call.get(member)
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, Mapping) and isinstance(part.get("path"), str):
                yield part["path"]
