"""Half of a surrogate pair, which JavaScript writes where it cuts a text, changes no number of a session."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory

_TEXTS: Final = frozenset({"text", "thinking", "stdout", "output", "description", "content"})
_HALF: Final = "\ud83d"


@pytest.mark.parametrize("product", STORES)
def test_a_cut_character_loses_nothing_of_its_line(tmp_path: Path, product: str) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for root in (whole, cut):
        root.mkdir()
        STORES[product](root, 7, 1)
    harmed = sum(_cut(path) for path in sorted(cut.rglob("*")) if path.is_file())
    assert harmed > 10
    assert _rows(cut) == _rows(whole)


def _rows(root: Path) -> dict[str, Any]:
    history = TaskHistory([root], now=lambda: NOW_MS)
    rows = list(history.list(children=True))
    return {row.id: (_numbers(row), len(history.messages(row.id, limit=20_000).messages)) for row in rows}


def _numbers(row: TaskInfo) -> dict[str, Any]:
    """Return what a row says besides its texts, which end in U+FFFD, and the size of its files."""
    members = msgspec.to_builtins(row)
    texts = ("title", "firstPrompt", "lastMessage", "sizeBytes", "root", "problems", "path", "workspace")
    return {name: value for name, value in members.items() if name not in texts}


def _cut(path: Path) -> int:
    """Cut texts in a file; return how many."""
    if path.suffix == ".db":
        return _cut_rows(path)
    if path.suffix not in (".json", ".jsonl"):
        return 0
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n") if path.suffix == ".jsonl" else [text]
    cut = [_cut_line(line) for line in lines]
    stamp = path.stat()
    path.write_text("\n".join(cut), encoding="utf-8")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    return sum(one != other for one, other in zip(lines, cut, strict=True))


def _cut_rows(path: Path) -> int:
    changed = 0
    connection = sqlite3.connect(path)
    with connection:
        for table in ("message", "part"):
            with suppress(sqlite3.Error):  # another product's database
                for row, data in connection.execute(f"SELECT rowid, data FROM {table}").fetchall():
                    cut = _cut_line(data)
                    changed += cut != data
                    connection.execute(f"UPDATE {table} SET data = ? WHERE rowid = ?", (cut, row))
    connection.close()
    return changed


def _cut_line(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    changed = False
    for holder, name in _texts(value):
        holder[name], changed = holder[name] + _HALF, True
    return json.dumps(value) if changed else line


def _texts(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        for name, member in list(value.items()):
            if isinstance(member, str) and name in _TEXTS and member and member[0].isalnum():  # no marker
                yield value, name
            yield from _texts(member)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
