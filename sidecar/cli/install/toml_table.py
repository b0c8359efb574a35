"""Add and remove one table of a TOML file, and leave every other line as it is; pure."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any


class BadToml(ValueError):
    """The text is not TOML, or holds the table in a form that cannot be changed; the message says why."""


def parse(text: str) -> dict[str, Any]:
    """Return the values of a text, which may start with a byte order mark; a float is its text.

    Raises BadToml.
    """
    try:
        return tomllib.loads(
            text.removeprefix("\ufeff"), parse_float=str
        )  # a number that is nan equals nothing
    except tomllib.TOMLDecodeError as error:
        raise BadToml(f"it is not TOML: {error}") from None


def insert(text: str, container: str, name: str, value: dict[str, Any]) -> str:
    """Return the text with a table `[container.name]` of strings and lists of strings at its end.

    Raises BadToml.
    """
    if text and not text.endswith("\n"):
        text += "\n"
    lines = [f"[{container}.{_key(name)}]", *(f"{key} = {_value(item)}" for key, item in value.items())]
    whole = text + ("\n" if text else "") + "\n".join(lines) + "\n"
    expected = parse(text)
    servers = expected.setdefault(container, {})
    try:
        if isinstance(servers, dict) and parse(whole) == {**expected, container: {**servers, name: value}}:
            return whole
    except BadToml:  # an inline table is closed
        pass
    raise BadToml(f"{container} is not a table that can be extended; write it as [{container}.NAME]")


def remove(text: str, container: str, name: str) -> str:
    """Return the text without the table `[container.name]` and the tables in it. Raises BadToml."""
    own = re.compile(rf"^\s*\[\s*{re.escape(container)}\s*\.\s*([\"']?){re.escape(name)}\1\s*[.\]]")
    kept: list[str] = []
    above: list[str] = []  # comments and blank lines, which belong to what follows
    is_own = False
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if line.lstrip().startswith("["):
            was_own, is_own = is_own, own.match(line) is not None
            if is_own and not was_own and kept and not kept[-1].strip():
                kept.pop()  # the blank line above
            if was_own and not is_own:
                kept += above
        if not is_own:
            kept.append(line)
        above = [*above, line] if is_own and re.match(r"\s*(#|$)", line) else []
    kept += above
    left = "".join(kept)
    expected = parse(text)
    del expected[container][name]
    try:
        found = parse(left)
        if {**found, container: found.get(container, {})} == expected:
            return left
    except BadToml:  # a string holds such a line
        pass
    raise BadToml(f"[{container}.{name}] is not a table of its own; remove it by hand")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: str | Sequence[str]) -> str:
    """Return a string or a list of strings; JSON escapes are TOML's too."""
    return json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )
