"""What commands print: tables for people on a terminal, plain lines for everyone else."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TextIO

from sidecar.printable import plain, printable, printable_json
from sidecar.rpc.transport.encoding import encode_json

TITLE_WIDTH = 24
LAST_WIDTH = 13
"""Columns of a narrow terminal that a title and the last value keep; 12 characters of an id find a task."""

_BOLD = ("\x1b[1m", "\x1b[0m")
_PIECES = 1_000
"""Pieces of a document that are written at once."""

KILO = 1024
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def on_terminal(*, err: bool = False) -> bool:
    """Say whether a person reads stdout, or with `err` stderr."""
    return (sys.stderr if err else sys.stdout).isatty()


def in_color() -> bool:
    """Say whether stdout welcomes codes for color and weight; an empty NO_COLOR counts as unset."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def write(text: str, *, err: bool = False) -> None:
    """Print text on stdout, or with `err` on stderr; a terminal gets only what is printable."""
    _put(printable(text) if on_terminal(err=err) else text, sys.stderr if err else sys.stdout)


def echo(text: str, *, err: bool = False) -> None:
    """Print text and end its line; see `write`."""
    write(f"{text}\n", err=err)


def echo_line(text: str, *, err: bool = False) -> None:
    """Print text as exactly one line, also in a pipe: nothing in it can forge a line of its own."""
    echo(plain(text), err=err)


def write_marked(pieces: Sequence[str]) -> None:
    """Print pieces of text on stdout, every second one in bold where codes for weight are welcome."""
    start, end = _BOLD if in_color() else ("", "")
    clean = [printable(piece) if on_terminal() else piece for piece in pieces]
    _put("".join(f"{start}{piece}{end}" if at % 2 else piece for at, piece in enumerate(clean)), sys.stdout)


def write_json(value: object) -> None:
    """Print a value as one JSON document, written as it would be on the wire."""
    write_pieces([encode_json(value)])


def write_pieces(pieces: Sequence[bytes]) -> None:
    """Print one JSON document that comes in pieces, without joining all of them in memory."""
    shown = on_terminal()
    for start in range(0, len(pieces), _PIECES):
        document = b"".join(pieces[start : start + _PIECES])
        _put_bytes(
            printable_json(document.decode("utf-8", "surrogatepass")).encode() if shown else document,
            sys.stdout,
        )
    _put_bytes(b"\n", sys.stdout)


def _put(text: str, stream: TextIO) -> None:
    """Write text as UTF-8; a half character, which JSON allows, becomes U+FFFD."""
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

    # Without colors also without bold: both are escape codes.
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
    """Return how wide the last column may be for the title to stay readable."""
    widths = [max(map(len, column)) + len("  ") for column in zip(columns, *rows, strict=True)]
    left = width - sum(widths) + widths[title_column]
    return max(LAST_WIDTH, widths[-1] - len("  ") - max(0, TITLE_WIDTH - left))


def age(now: int, at: float | None) -> str:
    """Say how long ago a time (ms) was; empty when it is unknown."""
    if at is None or at != at:
        return ""
    passed = max(0, now - int(at))
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s")):
        if passed >= unit:
            return f"{passed // unit}{name} ago"
    return "now"


def count(number: float | None) -> str:
    """Say a number with its thousands parted; empty when it is unknown."""
    return "" if number is None else f"{number:,}"


def dollars(cost: float | None) -> str:
    """Say a cost so that a small one is not taken for nothing; empty when it is unknown."""
    if cost is None:
        return ""
    if 0 < cost < 0.0001:
        return "<$0.0001"
    return f"${cost:,.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def size(number: float) -> str:
    """Say a number of bytes in the unit that fits."""
    for unit in ("B", "KB", "MB"):
        if number < KILO:
            return f"{number:.0f} {unit}" if number >= 10 or unit == "B" else f"{number:.1f} {unit}"
        number /= KILO
    return f"{number:,.1f} GB"


def span(milliseconds: float | None) -> str:
    """Say how long something took; empty when it is unknown, never negative: a clock may be set back."""
    if milliseconds is None:
        return ""
    seconds = max(0, int(milliseconds // SECOND))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60}s"
    return f"{seconds // 3600}h {seconds % 3600 // 60}m"


def when(at: float | None) -> str:
    """Say a time (ms) in local terms; empty when it is unknown."""
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
