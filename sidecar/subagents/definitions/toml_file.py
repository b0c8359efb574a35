"""Finds the top-level keys of a TOML file with their lines, which the library does not report."""

import re
from collections.abc import Mapping

from sidecar.patterns import compiled
from sidecar.subagents.definitions.model import Document, Malformed, Member, given

MAX_DEPTH = 32
"""Most parts of a dotted key: the library's time grows with the square of their number."""

# Comments and one-line strings are matched so that quotes inside them start nothing. Each alternative also
# matches an unclosed string; otherwise a hostile file would make the pattern retry at every quote.
_TEXTS = compiled(
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'
    r"'''.*?(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\[^\n])*+"?|'
    r"'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
_DEEP_KEY = compiled(rf"(?<![\w\"-])(?:[\w\"-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
_TABLE = compiled(r"[ \t]*\[\[?[ \t]*[\"']?([\w-]++)[\"']?[^,]*\][ \t]*(#.*)?")
_KEY = compiled(r"[ \t]*[\"']?([\w-]+)[\"']?[ \t]*[.=]")
_ERROR_LINE = compiled(r" \(at line (\d+), column \d+\)$| \(at end of document\)$")


def split_toml(text: str) -> Document:
    """Parse a TOML file. Raises Malformed."""
    import tomllib  # imported here because most folders hold none

    deep = _DEEP_KEY.search(_TEXTS.sub('""', text))
    if deep is not None:
        raise Malformed(None, f"a key has more than {MAX_DEPTH} parts")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(str(error), text) from None
    except (RecursionError, ValueError):
        raise Malformed(None, "unreadable TOML: nested too deeply, or a malformed value") from None
    lines = _lines_of_keys(text)
    return Document([Member(key[:64], lines.get(key), given(value)) for key, value in table.items()])


def _malformed(message: str, text: str) -> Malformed:
    place = _ERROR_LINE.search(message)
    line = text.count("\n") + 1 if place is None or place[1] is None else int(place[1])
    return Malformed(line, f"not TOML: {_ERROR_LINE.sub('', message)}")


def _lines_of_keys(text: str) -> Mapping[str, int]:
    """Find the first line of each top-level key, in text known to be TOML."""
    bare = _TEXTS.sub(lambda found: _only_lines(found[0]), text)
    lines: dict[str, int] = {}
    in_table = False
    for number, line in enumerate(bare.split("\n"), 1):
        table = _TABLE.fullmatch(line)
        in_table = in_table or table is not None
        key = table or (None if in_table else _KEY.match(line))
        if key is not None:
            lines.setdefault(key[1], number)
    return lines


def _only_lines(found: str) -> str:
    return "\n" * found.count("\n") if found.startswith(('"""', "'''")) else found
