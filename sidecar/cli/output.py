"""Print tables on a terminal and plain lines elsewhere."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TextIO

from sidecar import figures
from sidecar.printable import plain, printable, printable_json

TITLE_WIDTH = 24
LAST_WIDTH = 13
"""The minimum widths of a title and of the last value; 12 characters of an ID identify a task."""

_BOLD = ("\x1b[1m", "\x1b[0m")
_PIECES = 1_000
"""How many pieces of a document are written at once."""

KILO = 1024
SECOND = 1_000


def on_terminal(*, err: bool = False) -> bool:
    """Return whether stdout, or stderr with `err`, is a terminal."""
    return (sys.stderr if err else sys.stdout).isatty()


def in_color() -> bool:
    """Return whether stdout supports colors and bold; an empty NO_COLOR counts as unset."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def write(text: str, *, err: bool = False) -> None:
    """Print text on stdout, or stderr with `err`; escape unprintable characters on a terminal."""
    _put(printable(text) if on_terminal(err=err) else text, sys.stderr if err else sys.stdout)


def echo(text: str, *, err: bool = False) -> None:
    """Print text and a line break; see `write`."""
    write(f"{text}\n", err=err)


def echo_line(text: str, *, err: bool = False) -> None:
    """Print text as exactly one line, even in a pipe, so that it cannot imitate other lines."""
    echo(plain(text), err=err)


def write_marked(pieces: Sequence[str]) -> None:
    """Print pieces of text on stdout, every second one in bold if stdout supports it."""
    start, end = _BOLD if in_color() else ("", "")
    clean = [printable(piece) if on_terminal() else piece for piece in pieces]
    _put("".join(f"{start}{piece}{end}" if at % 2 else piece for at, piece in enumerate(clean)), sys.stdout)


def write_json(value: object) -> None:
    """Print a value as one JSON document in its wire format."""
    from sidecar.rpc.transport.encoding import encode_json  # a list has its rows as JSON

    write_pieces([encode_json(value)])


def write_pieces(pieces: Sequence[bytes]) -> None:
    """Print one JSON document from pieces, without joining all of them in memory."""
    shown = on_terminal()
    for start in range(0, len(pieces), _PIECES):
        document = b"".join(pieces[start : start + _PIECES])
        _put_bytes(
            printable_json(document.decode("utf-8", "surrogatepass")).encode() if shown else document,
            sys.stdout,
        )
    _put_bytes(b"\n", sys.stdout)


def _put(text: str, stream: TextIO) -> None:
    """Write text as UTF-8; replace unpaired surrogates, which JSON allows, with U+FFFD."""
    _put_bytes(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode(), stream)


def _put_bytes(data: bytes, stream: TextIO) -> None:
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, title_column: int = -1) -> None:
    """Print rows under headings: a table on a terminal, tab-separated lines elsewhere.

    On a narrow terminal `title_column` is shortened first, to a readable rest, then the last one.
    """
    cells = [[plain(cell) for cell in row] for row in rows]
    if on_terminal():
        _write_rich_table(columns, cells, title_column)
    else:
        write("".join("\t".join(row) + "\n" for row in (columns, *cells)))


def _write_rich_table(columns: Sequence[str], rows: list[list[str]], title_column: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Disable bold together with colors, because both are escape codes.
    console = Console(color_system="auto" if in_color() else None, no_color=False)
    last_width = _last_width(columns, rows, title_column, console.width) if title_column >= 0 else None
    table = Table(box=None, pad_edge=False, header_style="bold", expand=title_column >= 0)
    for index, column in enumerate(columns):
        table.add_column(
            column,
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if index == title_column else None,
            max_width=last_width if index == len(columns) - 1 else None,
        )
    for row in rows:
        table.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    console.print(table)


def _last_width(columns: Sequence[str], rows: list[list[str]], title_column: int, width: int) -> int:
    """Return the width of the last column that keeps the title readable."""
    widths = [max(map(len, column)) + len("  ") for column in zip(columns, *rows, strict=True)]
    left = width - sum(widths) + widths[title_column]
    return max(LAST_WIDTH, widths[-1] - len("  ") - max(0, TITLE_WIDTH - left))


def age(now: int, at: float | None) -> str:
    """Format how long ago a time (ms since the epoch) was; empty if it is unknown."""
    if at is None or at != at:
        return ""
    return figures.ago(now - int(at))


def count(number: float | None) -> str:
    """Format a number with thousands separators; empty if it is unknown."""
    return "" if number is None else f"{number:,}"


def number_of(number: int, thing: str) -> str:
    """Say how many things there are, such as `1 task` and `2 tasks`."""
    return f"{count(number)} {thing}{'' if number == 1 else 's'}"


def dollars(cost: float | None) -> str:
    """Format a cost in USD so that a small one does not look like zero; empty if it is unknown."""
    return "" if cost is None else figures.dollars(cost)


def size(number: float) -> str:
    """Format a number of bytes with a suitable unit."""
    for unit in ("B", "KB", "MB"):
        if number < KILO:
            return f"{number:.0f} {unit}" if number >= 10 or unit == "B" else f"{number:.1f} {unit}"
        number /= KILO
    return f"{number:,.1f} GB"


def span(milliseconds: float | None) -> str:
    """Format a duration; empty if it is unknown, and never negative, since the clock may be set back."""
    return "" if milliseconds is None else figures.duration(milliseconds)


def when(at: float | None) -> str:
    """Format a time (ms since the epoch) in the local time zone; empty if it is unknown."""
    if at is None or at != at:
        return ""
    try:
        return datetime.fromtimestamp(at / SECOND, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return str(at)


_STYLES = {
    "completed": "green",
    "failed": "red",
    "active": "cyan",
    "running": "cyan",
    "cancelled": "yellow",
    "queued": "magenta",
    "abandoned": "dim",
}


def _style(cell: str) -> str:
    return _STYLES.get(cell, "")
