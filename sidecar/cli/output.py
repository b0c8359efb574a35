"""What commands print: tables for people on a terminal, plain lines for everyone else."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sidecar.rpc.encoding import encode_json

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def on_terminal() -> bool:
    """Say whether a person reads stdout."""
    return sys.stdout.isatty()


def write(text: str) -> None:
    """Print text on stdout; a half character that JSON allows becomes U+FFFD."""
    data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: object) -> None:
    """Print a value as one JSON document, written as it would be on the wire."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode_json(value) + b"\n")
    sys.stdout.buffer.flush()


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, title_column: int = -1) -> None:
    """Print rows under headings: a table on a terminal, tab-separated lines elsewhere.

    Only `title_column` is shortened when the terminal is narrow.
    """
    if not on_terminal():
        lines = ["\t".join(columns), *("\t".join(_plain(cell) for cell in row) for row in rows)]
        write("\n".join(lines) + "\n")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        flexible = index == title_column
        table.add_column(
            column, no_wrap=True, overflow="ellipsis" if flexible else "fold", ratio=1 if flexible else None
        )
    table.expand = title_column >= 0
    for row in rows:
        table.add_row(*(Text(_plain(cell), style=_style(cell)) for cell in row))
    Console(no_color="NO_COLOR" in os.environ).print(table)


def age(now: int, at: float | None) -> str:
    """Say how long ago a time (ms) was; empty when it is unknown."""
    if at is None or at != at:
        return ""
    passed = max(0, now - int(at))
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s")):
        if passed >= unit:
            return f"{passed // unit}{name} ago"
    return "now"


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


def _plain(cell: str) -> str:
    """Return a cell without what could move the cursor or forge another one."""
    return "".join(char if char.isprintable() else " " for char in cell)
