"""What commands print: tables for people on a terminal, plain lines for everyone else."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sidecar.rpc.encoding import encode_json

TITLE_WIDTH = 24
LAST_WIDTH = 13
"""Columns of a narrow terminal that a title and the last value keep; 12 characters of an id find a task."""

KILO = 1024
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def on_terminal() -> bool:
    """Say whether a person reads stdout."""
    return sys.stdout.isatty()


def in_colour() -> bool:
    """Say whether codes for colour and weight are welcome; as no-color.org has it, if NO_COLOR is empty."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def write(text: str) -> None:
    """Print text on stdout; a half character that JSON allows becomes U+FFFD."""
    data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Print a value as one JSON document, written as it would be on the wire."""
    write_pieces([encode_json(value)])


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Print the pieces of one JSON document, without copying what may be megabytes."""
    sys.stdout.flush()
    for piece in (*pieces, b"\n"):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


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

    # Bold type would be codes, too.
    console = Console(color_system="auto" if in_colour() else None, no_color=False)
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
    """Say how long something took; empty when it is unknown."""
    if milliseconds is None:
        return ""
    seconds = int(milliseconds // SECOND)
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


def printable(text: str) -> str:
    """Return a text of several lines without what could move the cursor or change the terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def plain(cell: str) -> str:
    """Return a cell or line without what could move the cursor or forge another one."""
    return "".join(char if char.isprintable() else " " for char in cell)
