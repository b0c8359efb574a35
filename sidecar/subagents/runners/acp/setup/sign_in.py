"""Find out from what an agent announces, or from its profile, which commands sign in to it. No I/O."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sidecar.api.runs.runners import SignInMethod
from sidecar.subagents.questions.texts import line

_CODE = re.compile("`([^`]+)`")
_SERVES = "--acp"
_MAX_METHODS = 20
_CHARS = 200


def command_in(advice: str | None) -> list[str] | None:
    """Return the first command in a profile's advice; None if it has none."""
    code = _CODE.search(advice or "")
    return shlex.split(code[1]) if code else None


def methods_of(announced: Any, program: Sequence[str]) -> list[SignInMethod]:
    """Return the methods in `authMethods`. `program` is the command that starts the agent."""
    return [*_methods(announced[:_MAX_METHODS], program)] if isinstance(announced, list) else []


def _methods(announced: list[Any], program: Sequence[str]) -> Iterator[SignInMethod]:
    for each in announced:
        if not isinstance(each, Mapping) or not isinstance(each.get("id"), str) or len(each["id"]) > _CHARS:
            continue
        command, described = _command(each, program)
        yield SignInMethod(
            id=each["id"],
            name=line(each.get("name"), _CHARS) or each["id"],
            command=command,
            env=_variables(described.get("env")) or None,
        )


def _command(method: Mapping[str, Any], program: Sequence[str]) -> tuple[list[str] | None, Mapping[str, Any]]:
    """Return the command that signs in, and the part of the method that describes it."""
    if method.get("type") == "terminal" and program:
        return [*program, *_texts(method.get("args"))], method
    meta = _table(method, "_meta")
    older = _table(meta, "terminal-auth")
    if isinstance(older.get("command"), str):
        return [older["command"], *_texts(older.get("args"))], older
    # qwen describes it there, and its arguments are not for the agent as a server.
    if meta.get("type") == "terminal" and program:
        return [*(word for word in program if word != _SERVES), *_texts(meta.get("args"))], meta
    return None, {}


def _variables(values: Any) -> dict[str, str]:
    """Return environment variables, given as an object or as a list of names and values."""
    if isinstance(values, list):
        values = {str(each.get("name")): each.get("value") for each in values if isinstance(each, Mapping)}
    given = values if isinstance(values, Mapping) else {}
    return {key: text for key, text in given.items() if isinstance(key, str) and isinstance(text, str)}


def _table(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = parent.get(name)
    return found if isinstance(found, Mapping) else {}


def _texts(values: Any) -> list[str]:
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []
