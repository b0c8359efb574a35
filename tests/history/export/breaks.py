"""What consoles, mail, logs, diffs and programs put where they break a line, at any place of a text."""

from collections.abc import Callable
from typing import Final

Break = Callable[[str, int], str]
"""Break a text at a place."""


def _inserted(between: str) -> Break:
    return lambda text, at: text[:at] + between + text[at:]


def _prefixed(prefix: Callable[[int], str]) -> Break:
    """Put a prefix in front of every line; it depends on the number of the line."""
    return lambda text, at: "\n".join(prefix(n) + line for n, line in enumerate(_lines(text, at)))


def _lines(text: str, at: int) -> list[str]:
    return f"{text[:at]}\n{text[at:]}".split("\n")


def _console(width: int) -> Break:
    """Put words in front of the text so that its line is full at the place."""

    def broken(text: str, at: int) -> str:
        first = text.rfind("\n", 0, at) + 1
        words = "x" * (width - (at - first) - 1)
        return f"{text[:first]}{words} {text[first:at]}\n{text[at:]}"

    return broken


def _strings(joint: str, quote: str = '"') -> Break:
    """Write every line, and both sides of the place, as strings that a program joins."""

    def broken(text: str, at: int) -> str:
        between = quote + joint + quote
        sides = (side.replace('"', '\\"').replace("\n", f"\\n{between}") for side in (text[:at], text[at:]))
        return f"x = {quote}{between.join(sides)}{quote}"

    return broken


def _diff(inner: Break) -> Break:
    return lambda text, at: "+" + inner(text, at).replace("\n", "\n+")


def _rows(text: str, at: int) -> str:
    lines = _lines(text, at)
    width = max(map(len, lines))
    rows = (f"| {' ' if number else 'a'} | {line:{width}} |" for number, line in enumerate(lines))
    return "\n".join(("| key | value |", "|---|---|", *rows))


def _indented(before: str, indent: str, after: str) -> Break:
    return lambda text, at: before + "".join(f"{indent}{line}\n" for line in _lines(text, at)) + after


BREAKS: Final[dict[str, Break]] = {
    "bare": _inserted("\n"),
    "console80": _console(80),
    "console100": _console(100),
    "console120": _console(120),
    "mail": _prefixed(lambda _: "> "),
    "mailTwice": _prefixed(lambda _: "> > "),
    "mailTight": _prefixed(lambda _: ">>"),
    "quotedPrintable": _inserted("=\n"),
    "log": _prefixed(lambda n: f"2025-01-01T10:00:0{n}.123Z INFO [main] "),
    "logOfPython": _prefixed(lambda n: f"2025-01-01 10:00:0{n},123 - app - DEBUG - "),
    "logOfSystem": _prefixed(lambda n: f"Jan  1 10:00:0{n} host app[123]: "),
    "logOfContainers": _prefixed(lambda _: "web-1  | "),
    "logWithTimes": _prefixed(lambda n: f"[10:00:0{n}] "),
    "logOfBuilds": _prefixed(lambda n: f"2025-01-01T10:00:0{n}.1234567Z "),
    "grep": _prefixed(lambda n: f"src/a.py:{n + 8}:"),
    "grepAround": _prefixed(lambda n: f"src/a.py-{n + 8}-"),
    "shell": _inserted("\\\n"),
    "shellIndented": _inserted("\\\n    "),
    "shellApart": _inserted(" \\\n    "),
    "powershell": _inserted("`\n"),
    "strings": _strings(" +\n    "),
    "stringsLed": _strings("\n    + "),
    "stringsSingle": _strings(" +\n    ", "'"),
    "stringsAdjacent": _strings("\n    "),
    "stringsInLine": _strings(" + "),
    "stringsDotted": _strings(" .\n  "),
    "stringsContinued": _strings(" \\\n  "),
    "yamlFolded": _indented("key: >-\n", "  ", "next: 1"),
    "yamlQuoted": lambda text, at: f'key: "{text[:at]}\\\n    {text[at:]}"',
    "tab": _inserted("\n\t"),
    "added": _prefixed(lambda _: "+"),
    "removed": _prefixed(lambda _: "-"),
    "kept": _prefixed(lambda _: " "),
    "addedShell": _diff(_inserted("\\\n    ")),
    "addedStrings": _diff(_strings(" +\n    ")),
    "numberedTab": _prefixed(lambda n: f"{n + 98:6}\t"),
    "numberedArrow": _prefixed(lambda n: f"{n + 98:6}\u2192"),
    "numberedBar": _prefixed(lambda n: f"{n + 8:3} | "),
    "tableCell": lambda text, at: "| key | value |\n|---|---|\n| a | " + "<br>".join(_lines(text, at)) + " |",
    "tableRows": _rows,
    "fence": _indented("```sh\n", "", "```"),
    "fenceInList": _indented("- x\n\n  ```\n", "  ", "  ```"),
    "commentShell": _prefixed(lambda _: "# "),
    "commentSlashes": _prefixed(lambda _: "// "),
    "commentStars": _prefixed(lambda _: " * "),
    "commentSql": _prefixed(lambda _: "-- "),
    "commentSettings": _prefixed(lambda _: "; "),
}
