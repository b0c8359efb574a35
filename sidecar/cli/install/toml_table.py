"""Add and remove one table of a TOML file, and leave every other line as it is; pure."""

import json
import re
import tomllib
from typing import Any

_NOT_OWN = "is not a separate table; remove it by hand"


class _Number(str):
    """A float as it is written, because nan does not equal itself."""

    __slots__ = ()


class BadToml(ValueError):
    """The text is not TOML, or holds the table in a form that cannot be changed; the message says why."""


def parse(text: str) -> dict[str, Any]:
    """Return the values of a text, which may start with a byte order mark; a float is its text.

    Raises BadToml.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=_Number)
    except tomllib.TOMLDecodeError as error:
        raise BadToml(f"it is not TOML: {error}") from None


def insert(text: str, container: str, name: str, value: dict[str, Any]) -> str:
    """Return the text with a table `[container.name]` at its end.

    Raises BadToml.
    """
    if text and not text.endswith("\n"):
        text += "\n"
    whole = text + ("\n" if text else "") + _table(container, name, value)
    expected = parse(text)
    servers = expected.setdefault(container, {})
    reason = f"{container} is not a table that can be extended; write it as [{container}.NAME]"
    if not isinstance(servers, dict):
        raise BadToml(reason)
    servers[name] = value
    return _checked(whole, container, expected, reason)


def replace(text: str, container: str, name: str, value: dict[str, Any]) -> str:
    """Return the text with these values in the table `[container.name]`, and without the tables in it.

    Raises BadToml.
    """
    lines = _lines(text, container, name)
    own = [at for at, (_, is_own) in enumerate(lines) if is_own]
    if own:
        end = "\r\n" if lines[own[0]][0].endswith("\r\n") else "\n"
        lines[own[0]] = _table(container, name, value).replace("\n", end), False
    whole = "".join(line for line, is_own in lines if not is_own)
    expected = parse(text)
    expected[container][name] = value
    return _checked(whole, container, expected, f"[{container}.{name}] {_NOT_OWN}")


def remove(text: str, container: str, name: str) -> str:
    """Return the text without the table `[container.name]` and the tables in it. Raises BadToml."""
    kept: list[str] = []
    was_own = False
    for line, is_own in _lines(text, container, name):
        if is_own and not was_own and kept and not kept[-1].strip():
            kept.pop()  # the blank line above
        if not is_own:
            kept.append(line)
        was_own = is_own
    left = "".join(kept)
    expected = parse(text)
    del expected[container][name]
    return _checked(left, container, expected, f"[{container}.{name}] {_NOT_OWN}")


def _checked(text: str, container: str, expected: dict[str, Any], reason: str) -> str:
    """Return a text that has the expected values. Raises BadToml."""
    try:
        found = parse(text)
    except BadToml:  # an inline table is closed, or a string holds the header of a table
        raise BadToml(reason) from None
    if {**found, container: found.get(container, {})} != expected:
        raise BadToml(reason)
    return text


def _table(container: str, name: str, value: dict[str, Any]) -> str:
    lines = [f"[{container}.{_key(name)}]", *(f"{_key(key)} = {_value(item)}" for key, item in value.items())]
    return "\n".join(lines) + "\n"


def _lines(text: str, container: str, name: str) -> list[tuple[str, bool]]:
    """Return each line and whether it belongs to the table.

    Comments and blank lines at its end belong to what follows.
    """
    header = re.compile(rf"^\s*\[\s*{re.escape(container)}\s*\.\s*([\"']?){re.escape(name)}\1\s*[.\]]")
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    own: list[bool] = []
    for line in lines:
        is_header = line.lstrip().startswith("[")
        own.append(header.match(line) is not None if is_header else bool(own) and own[-1])
    is_end = True
    for at in reversed(range(len(lines))):
        is_end = not own[at] or (is_end and lines[at].strip()[:1] in ("", "#"))
        own[at] = not is_end
    return list(zip(lines, own, strict=True))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    """Return a value that `parse` returned; JSON escapes are TOML's too."""
    match value:
        case _Number():
            return value
        case str() | bool() | int():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return f"{{ {', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())} }}"
    return str(value.isoformat())  # a date or a time
