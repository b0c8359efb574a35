"""Stores whose database is harmed in every way that a database can be."""

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from sidecar.corpus.stores import STORES
from tests.history.stores.hostile_stores import MB, Harm, instead, replaced, sparse

_ENDLESS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"


def _sql(*statements: str) -> Harm:
    def harm(path: Path) -> None:
        path.unlink()
        with sqlite3.connect(path) as made:
            for statement in statements:
                made.execute(statement)
        made.close()

    return harm


def _more(*statements: str) -> Harm:
    def harm(path: Path) -> None:
        connection = sqlite3.connect(path)
        with connection:
            tables = [
                name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
            ]
            table = next((name for name in ("part", "threads") if name in tables), tables[0])
            column = "data" if table == "part" else "title"
            for statement in statements:
                connection.execute(statement.format(table=table, column=column))
        connection.close()

    return harm


def _other_log(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(os.urandom(4 * MB))


DATABASES: Final[dict[str, Harm]] = {
    "cut": replaced(lambda data: data[: len(data) // 2]),
    "empty": replaced(lambda data: b""),
    "noise inside": replaced(lambda data: data[:4_096] + os.urandom(len(data) - 4_096)),
    "no database": replaced(lambda data: os.urandom(MB)),
    "sparse": sparse,
    "a foreign schema": _sql("CREATE TABLE other (x)"),
    "endless views": _sql(
        *(f"CREATE VIEW {name} AS {_ENDLESS}" for name in ("session", "message", "part", "threads"))
    ),
    "large values": _more("UPDATE {table} SET {column} = hex(zeroblob(40000000)) WHERE rowid <= 4"),
    "the log of another": _other_log,
    "a link": instead(lambda path: path.symlink_to("/etc/passwd")),
    "a pipe": instead(lambda path: os.mkfifo(path)),
}
"""What happens to a database."""


SILENT: Final = {"large values", "the log of another"}
"""After these every session can be read."""


def write_harmed_databases(folder: Path, product: str) -> dict[str, Path]:
    """Write a store for each harm to its main database, in a folder; the key is the harm."""
    sound = folder / "sound"
    sound.mkdir(parents=True)
    STORES[product](sound, 7, 1)
    database = sorted(path for path in sound.rglob("*") if path.suffix in (".db", ".sqlite"))[-1]
    stores = {name: folder / name for name in DATABASES}
    for name, store in stores.items():
        shutil.copytree(sound, store, symlinks=True)
        DATABASES[name](store / database.relative_to(sound))
    return stores
