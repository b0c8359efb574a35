"""Text that a terminal may be given: no character moves the cursor, changes colors or hides others."""

import re

_UNPRINTABLE_JSON = re.compile("[^\t\n\x20-\x7e]")


def printable(text: str) -> str:
    """Return a text of several lines with U+FFFD in place of control, bidi and zero-width characters."""
    lines = text.replace("\r\n", "\n")
    if lines.isprintable():
        return lines
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in lines)


def plain(line: str) -> str:
    """Return one line with a space in place of line breaks and whatever else `printable` replaces."""
    return line if line.isprintable() else "".join(char if char.isprintable() else " " for char in line)


def printable_json(document: str) -> str:
    r"""Return a JSON document with `\u` escapes for what a terminal must not be given; it says the same."""
    return _UNPRINTABLE_JSON.sub(_escaped, document)


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
