"""Values of any type in the records of every product: nothing raises, and each session is searched."""

import json
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from sidecar.api.errors import StorageError, TaskNotFound
from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.export.document import export
from sidecar.history.search.build import update
from sidecar.history.stores.sessions import saving

_ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    "",
    "x" * 500,
    "2026",
    "\ud800",
    [],
    {},
    [[]],
    {"a": None},
)


@pytest.mark.parametrize("product", STORES)
@pytest.mark.parametrize("share", [0.02, 0.1])
def test_values_of_any_type_are_read(
    tmp_path: Path, product: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "wall_seconds", lambda: time.time() + 100)  # no file is being saved
    root = tmp_path / "store"
    root.mkdir()
    STORES[product](root, 7, 1)
    chance = Random(11)
    for path in sorted(each for each in root.rglob("*") if each.is_file()):
        _harm(path, chance, share)
    history = TaskHistory([root], now=lambda: NOW_MS)
    rows = history.list(children=True)
    assert rows
    for row in rows:
        with suppress(StorageError, TaskNotFound):  # the file of a session may be refused
            history.messages(row.id, limit=20_000)
            export(history, row.id, "json")
        history.store(str(root)).touched_files(row.id)
    examine(history, NOW_MS)
    update(tmp_path / "search", str(root))


def _harm(path: Path, chance: Random, share: float) -> None:
    if path.suffix == ".db":
        _harm_rows(path, chance, share)
    elif path.suffix in (".json", ".jsonl"):
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        path.write_text("\n".join(_harmed(line, chance, share) for line in lines) + "\n")


def _harm_rows(path: Path, chance: Random, share: float) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for table in ("message", "part"):
            with suppress(sqlite3.Error):  # another product's database
                rows = connection.execute(f"SELECT rowid, data FROM {table}").fetchall()
                changed = [(_harmed(data, chance, share), row) for row, data in rows]
                connection.executemany(f"UPDATE {table} SET data = ? WHERE rowid = ?", changed)
    connection.close()


def _harmed(line: str, chance: Random, share: float) -> str:
    try:
        return json.dumps(_replaced(json.loads(line), chance, share), separators=(",", ":"))
    except ValueError:
        return line


def _replaced(value: Any, chance: Random, share: float) -> Any:
    if isinstance(value, dict):
        return {key: _odd(each, chance, share) for key, each in value.items()}
    if isinstance(value, list):
        return [_odd(each, chance, share) for each in value]
    return value


def _odd(value: Any, chance: Random, share: float) -> Any:
    return chance.choice(_ODD) if chance.random() < share else _replaced(value, chance, share)
