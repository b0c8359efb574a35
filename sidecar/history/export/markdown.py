"""Insert foreign text into a Markdown document without letting it imitate the document's structure.

Lists, emphasis, links and code keep their meaning. Headings, HTML, images, link definitions and code that
is left open are escaped (CommonMark 0.31). A renderer must show the text of a message as one message.
"""

import io
import re
from bisect import bisect_left
from collections import defaultdict
from typing import Final

from sidecar.patterns import compiled

_LINE_END: Final = compiled(r"\r\n|\n|\r")
_FENCE: Final = compiled(r"[ \t]*(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_CONTAINERS: Final = compiled(r"(?:[ \t>]|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))*+")
"""The prefixes of lines in block quotes and list items."""
_FORGED: Final = compiled(r"#{1,6}(?:[ \t]|$)|~{3}|\[(?:\\.|[^\]\\])*+(?:\]:|\\?$)")
"""The start of a heading, a fence or a link definition, which may continue on the next line."""
_UNDERLINE: Final = compiled(r"([ \t>]*+)(=+|-+)[ \t]*$")
_LIVE: Final = compiled(r"<(?=[A-Za-z/!?])|!\[")
"""The start of HTML or of an image."""
_INLINE: Final = compiled(r"\\.|`+|<(?=[A-Za-z/!?])|!\[")


def fenced(text: str) -> str:
    """Fence a text with more backticks than its longest run."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def inline(line: str) -> str:
    """Escape HTML, images and unclosed backticks in one line.

    In a table row, code ends with its cell. A line that may be a row and contains HTML or an image is
    therefore escaped cell by cell, which is safe in a row and in a paragraph.
    """
    if "|" in line and _LIVE.search(line):
        return "|".join(map(_escaped_inline, line.split("|")))
    return _escaped_inline(line)


def _escaped_inline(line: str) -> str:
    escaped = io.StringIO()  # a list of pieces would take many times the size of the line
    kept = place = 0
    runs = _runs(line)
    while match := _INLINE.search(line, place):
        place = match.end()
        token = match[0]
        if token[0] == "\\":
            continue
        if token[0] == "`" and (closing := _next(runs[len(token)], place)) is not None:
            place = closing + len(token)
            continue
        escaped.write(line[kept : match.start()])
        escaped.write("\\`" * len(token) if token[0] == "`" else f"{token[:-1]}\\{token[-1]}")
        kept = place
    return escaped.getvalue() + line[kept:]


def block(text: str) -> str:
    """Escape text that could start a block of the document, and close code that is left open."""
    lines: list[str] = []
    fence = ""
    blank = True
    for line in _LINE_END.split(text.rstrip()):
        opening = _FENCE.fullmatch(line)
        if fence:
            closes = opening and not opening["info"].strip() and opening["fence"].startswith(fence)
            lines.append(fence if closes else line)
            fence = "" if closes else fence
        elif opening:
            fence = opening["fence"]
            info = opening["info"].replace("|", "&#124;")  # otherwise it may be a table header
            lines.append(f"{fence}{info}")
        else:
            lines.append(_escaped(line, blank))
        blank = not line.strip(" \t>")
    return "\n".join([*lines, fence] if fence else lines)


def _escaped(line: str, after_blank: bool) -> str:
    underline = _UNDERLINE.fullmatch(line)
    if underline and not (after_blank and underline[2][0] == "-"):
        return f"{underline[1]}\\{line[underline.end(1) :]}"
    containers = _CONTAINERS.match(line)
    start = containers.end() if containers else 0
    mark = "\\" if _FORGED.match(line, start) else ""
    return line[:start] + mark + inline(line[start:])


def _runs(line: str) -> defaultdict[int, list[int]]:
    """Return where runs of backticks start, by their length."""
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", line):
        runs[len(run[0])].append(run.start())
    return runs


def _next(places: list[int], start: int) -> int | None:
    index = bisect_left(places, start)
    return places[index] if index < len(places) else None
