"""A permission request of an agent, as a question with options that a policy or a person can answer."""

from collections.abc import Iterable, Iterator, Mapping
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
    title, command = _title(call), _command(call)
    return Question(
        request_id=str(uuid4()),
        title=title,
        options=_with_always(
            Option(str(each.get("optionId")), str(each.get("name")), each["kind"]) for each in options
        ),
        tool_kind=kind if isinstance(kind, str) else "other",
        tool_name=name if isinstance(name, str) else None,
        tool_call_id=call_id if isinstance(call_id, str) else None,
        subject=command or title,
        paths=tuple(dict.fromkeys(_paths(call))),
        command=command,
        url=_given(call, "url"),
    )


def _with_always(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return the options, with "always" where an agent offers to allow only once.

    Some do where a rule has them ask. The sidecar itself keeps what is always allowed, and answers "once".
    """
    offered = tuple(options)
    kinds = {option.kind for option in offered}
    if "allow_once" not in kinds or "allow_always" in kinds:
        return offered
    return (*offered, Option(f"sidecar-always-{uuid4()}", "Always allow", "allow_always"))


def _title(call: Mapping[str, Any]) -> str:
    title = call.get("title")
    return title if isinstance(title, str) and title else call_name(call)


def _command(call: Mapping[str, Any]) -> str | None:
    """Return the command line of a call; one that is given in words is joined."""
    words = _raw(call, "command")
    return " ".join(map(str, words)) or None if isinstance(words, list) else _given(call, "command")


def _given(call: Mapping[str, Any], member: str) -> str | None:
    value = _raw(call, member)
    return value if isinstance(value, str) and value else None


def _raw(call: Mapping[str, Any], member: str) -> Any:
    given = call.get("rawInput")
    return given.get(member) if isinstance(given, Mapping) else None


def _paths(call: Mapping[str, Any]) -> Iterator[str]:
    for member in ("locations", "content"):
        parts = call.get(member)
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, Mapping) and isinstance(part.get("path"), str):
                yield part["path"]
