"""Make text safe for a terminal: no character moves the cursor, changes colors or hides others."""

import re

_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U000e0100-\U000e01ef]")
"""Characters without a shape that Python counts as printable. Emoji need the selectors U+FE00 to U+FE0F."""
_UNPRINTABLE_JSON = re.compile("[^\t\n\x20-\x7e]")


def printable(text: str) -> str:
    """Return a text of several lines with U+FFFD in place of control, bidi and invisible characters."""
    lines = text.replace("\r\n", "\n")
    if _is_visible(lines):
        return lines
    return "".join(char if _is_visible(char) or char in "\n\t" else "\ufffd" for char in lines)


def plain(line: str) -> str:
    """Return one line with a space in place of line breaks and whatever else `printable` replaces."""
    return line if _is_visible(line) else "".join(char if _is_visible(char) else " " for char in line)


def printable_json(document: str) -> str:
    r"""Return a JSON document with `\u` escapes for characters that are unsafe on a terminal."""
    return _UNPRINTABLE_JSON.sub(_escaped, document)


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    if _is_visible(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _is_visible(text: str) -> bool:
    return text.isprintable() and (text.isascii() or not _INVISIBLE.search(text))
