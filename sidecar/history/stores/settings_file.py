"""Read settings files of other programs: people edit them, with links, comments and byte order marks."""

import re
from collections.abc import Container
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from sidecar.patterns import compiled

MAX_SETTINGS_BYTES: Final = 4 * 1024 * 1024
MOST_DAYS: Final = 100_000_000
"""How far the dates of JavaScript reach: what a program deletes after more days, it never deletes."""
_TOKEN: Final = compiled(rb'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*+|/\*.*?(?:\*/|\Z)|:', re.DOTALL)
"""What matters in JSON with comments: strings, comments, and the mark between a key and its value.

A string without its end is a token too: searching for one from each of its quotes would take the square of
the time.
"""
_BOM: Final = b"\xef\xbb\xbf"

T = TypeVar("T")


def settings_of(path: Path, kind: type[T], *, comments: bool = False) -> T:
    """Read JSON, with `comments` removed, as JavaScript does; return the default if it is unreadable."""
    from sidecar.javascript.json_text import parse  # most lists need no settings
    from sidecar.javascript.values import JavaScriptThrow

    data = read_settings(path).removeprefix(_BOM)
    try:
        found = parse(_without_comments(data) if comments else data)
        return msgspec.convert(found, kind)
    except (JavaScriptThrow, msgspec.ValidationError, UnicodeEncodeError):  # the last: half a character
        return kind()


def _without_comments(settings: bytes) -> bytes:
    return _TOKEN.sub(lambda found: b" " if found[0].startswith(b"/") else found[0], settings)


def custom_paths(settings: bytes, names: Container[str]) -> list[Path]:
    """Read the folders that the settings `names` name from JSON with comments, whole or not."""
    found = custom_texts(settings, names)
    return [Path(path) for path in found.values() if Path(path).is_absolute()]


def custom_texts(settings: bytes, names: Container[str]) -> dict[str, str]:
    """Read the texts of the settings `names` from JSON with comments, whole or not."""
    tokens = [token for match in _TOKEN.finditer(settings) if not (token := match[0]).startswith(b"/")]
    found: dict[str, str] = {}
    for key, mark, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        name = _text(key)
        if name in names and mark == b":" and value != b":":
            found[name] = _text(value)  # of equal keys the editor takes the last
    return found


def read_settings(path: Path) -> bytes:
    """Read a settings file; empty if there is none to read."""
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            return b""
        with path.open("rb") as file:
            return file.read(MAX_SETTINGS_BYTES)
    except OSError:
        return b""


def _text(token: bytes) -> str:
    try:
        return msgspec.json.decode(token, type=str)
    except msgspec.MsgspecError:
        return ""
