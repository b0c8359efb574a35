"""Change one member of a JSON file with comments, and leave every other byte as it is; pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r',(?=\s*[}\]])|"(?:[^"\\]|\\.)*"', re.DOTALL)
_SPACE = re.compile(r"\s*")
INDENT = "  "


class BadJson(ValueError):
    """The text is not a JSON object; the message says where it is wrong."""


@dataclass(frozen=True)
class _Member:
    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class _Object:
    start: int
    end: int
    members: Sequence[_Member]


def parse(text: str) -> dict[str, Any]:
    """Return the object in a text; an empty text is an empty object. Raises BadJson."""
    plain = _plain(text)
    if not plain.strip():
        return {}
    try:
        value = json.loads(plain, parse_constant=str)  # NaN equals nothing
    except (ValueError, RecursionError) as error:
        raise BadJson(f"it is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadJson("it is not a JSON object")
    return value


def insert(text: str, container: str, name: str, value: Any) -> str:
    """Return the text with a new member `name` in the object `container`, which is added if it is missing.

    Raises BadJson if the text or the container is not an object.
    """
    root = parse(text)
    if not isinstance(root.get(container, {}), dict):
        raise BadJson(f'"{container}" is not an object')
    if not _plain(text).strip():  # nothing, or only comments
        head = text if text.endswith("\n") or not text.strip("\ufeff \t\r") else f"{text}\n"
        return head + json.dumps({container: {name: value}}, indent=INDENT, ensure_ascii=False) + "\n"
    outer = _object(_plain(text), _start(text))
    member = _named(outer, container)
    if member is None:
        return _inserted(text, outer, container, {name: value})
    return _inserted(text, _object(_plain(text), member.value), name, value)


def replace(text: str, container: str, name: str, value: Any) -> str:
    """Return the text with another value of a member of the object `container`.

    Raises BadJson if the member is missing.
    """
    _, member = _found(text, container, name)
    line = text[text.rfind("\n", 0, member.start) + 1 : member.start]
    indent = line[: len(line) - len(line.lstrip())]
    shown = json.dumps(value, indent=INDENT, ensure_ascii=False).replace("\n", f"\n{indent}")
    return text[: member.value] + shown + text[member.end :]


def remove(text: str, container: str, name: str | None = None) -> str:
    """Return the text without a member of the object `container`, or without that object.

    Raises BadJson if the member is missing.
    """
    holder, member = _found(text, container, name)
    place = list(holder.members).index(member)
    head, tail, comma = text[: member.start], text[member.end :], _comma(text, member.end)
    if comma >= 0:
        tail = text[member.end : comma] + text[comma + 1 :]
    elif place:
        before = _comma(text, holder.members[place - 1].end)
        head = text[:before] + head[before + 1 :]
    return _joined(head, tail, is_last=place > 0 and comma < 0)


def is_blank(text: str, container: str) -> bool:
    """Return whether the object `container` exists and holds neither a member nor a comment."""
    member = _named(_object(_plain(text), _start(text)), container)
    return member is not None and not text[member.value + 1 : member.end - 1].strip()


def _found(text: str, container: str, name: str | None) -> tuple[_Object, _Member]:
    """Return a member of the object `container`, or that object, and what holds it. Raises BadJson."""
    plain = _plain(text)
    holder = _object(plain, _start(text))
    member = _named(holder, container)
    if member is not None and name is not None:
        holder = _object(plain, member.value)
        member = _named(holder, name)
    if member is None:
        raise BadJson(f'"{name or container}" is not in its first "{container}"')
    return holder, member


def _joined(head: str, tail: str, *, is_last: bool) -> str:
    """Join what is left around a member: without its line, or without one of the spaces around it."""
    start, end = head.rstrip(), tail.lstrip()
    if start.endswith("{") and end.startswith("}"):
        return start + end
    own_line, rest = re.search(r"(?:^|(?<=\n))[ \t]*$", head), re.match(r"[ \t]*\r?\n", tail)
    if own_line and rest:
        return head[: own_line.start()] + tail[rest.end() :]
    return head.rstrip(" \t") + tail if is_last else head + tail.lstrip(" \t")


def _comma(text: str, at: int) -> int:
    """Return the place of the comma that follows a value and its comments; -1 if there is none."""
    bare = _uncommented(text)
    at = _skip(bare, at)
    return at if bare.startswith(",", at) else -1


def _inserted(text: str, holder: _Object, name: str, value: Any) -> str:
    line = text[text.rfind("\n", 0, holder.start) + 1 : holder.start]
    outer = line[: len(line) - len(line.lstrip())]
    indent = outer + INDENT
    shown = f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, indent=INDENT, ensure_ascii=False)}"
    shown = shown.replace("\n", f"\n{indent}")
    if holder.members:
        at = holder.members[0].start
        before = text[text.rfind("\n", 0, at) + 1 : at]
        if before.strip():  # all on one line
            return f"{text[:at]}{shown}, {text[at:]}"
        shown = shown.replace(f"\n{indent}", f"\n{before}")
        return f"{text[:at]}{shown},\n{before}{text[at:]}"
    inner = text[holder.start + 1 : holder.end].rstrip()
    return f"{text[: holder.start + 1]}{inner}\n{indent}{shown}\n{outer}{text[holder.end :]}"


def _plain(text: str) -> str:
    """Return the text with spaces in place of comments and trailing commas: offsets stay."""
    return _TRAILING_COMMA.sub(_blank, _uncommented(text))


def _uncommented(text: str) -> str:
    return _TOKEN.sub(_blank, text.replace("\ufeff", " "))


def _blank(found: re.Match[str]) -> str:
    token = found.group()
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)


def _start(text: str) -> int:
    return _skip(_plain(text), 0)


def _skip(plain: str, at: int) -> int:
    found = _SPACE.match(plain, at)
    return at if found is None else found.end()


def _object(plain: str, start: int) -> _Object:
    """Return the places of the members of the object that starts here; `plain` is valid JSON."""
    members: list[_Member] = []
    decoder = json.JSONDecoder()
    at = _skip(plain, start + 1)
    while plain[at] != "}":
        begin = at
        name, at = decoder.raw_decode(plain, at)
        value = _skip(plain, _skip(plain, at) + 1)
        _, end = decoder.raw_decode(plain, value)
        members.append(_Member(name, begin, value, end))
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return _Object(start, at, members)


def _named(holder: _Object, name: str) -> _Member | None:
    return next((each for each in holder.members if each.name == name), None)
