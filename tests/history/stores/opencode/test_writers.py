"""A database that another process writes to is read right, and its changes are announced."""

import contextlib
import queue
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.corpus.sessions.opencode import Written, write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection
from sidecar.history.live import LiveHistory
from sidecar.history.search.build import current_versions
from sidecar.history.stores.opencode import counts as counting
from sidecar.history.stores.sessions.databases import copied_file, foreign_database, private_copy
from sidecar.history.stores.sessions.databases.copied_file import Unsteady
from sidecar.history.stores.sessions.databases.private_copy import Stamps, copy_of, stamps_of
from sidecar.history.task_history import Changes
from tests.history.live.conftest import WAIT_SECONDS, until

_WRITER = """
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA wal_autocheckpoint=20")
key = sys.argv[2]
for number in range(int(sys.argv[3])):
    at = 1_776_000_000_000 + number
    tokens = {"input": 1, "output": 1, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    data = {"role": "assistant", "time": {"created": at, "completed": at}, "tokens": tokens, "finish": "stop"}
    database.execute("BEGIN IMMEDIATE")
    for copy in (0, 1):
        values = (f"msg_w{number}_{copy}", key, at, at, json.dumps(data))
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", values)
    database.execute("COMMIT")
print("done")
"""

_RENAME = "UPDATE session SET title = 'renamed', time_updated = time_updated + 1 WHERE id = ?"
_ADD = (
    "INSERT INTO session SELECT 'ses_new', project_id, NULL, slug, directory, title, version, time_created, "
    "time_updated, NULL FROM session WHERE id = ?",
    "INSERT INTO message SELECT 'msg_n', 'ses_new', time_created, time_updated, data FROM message "
    "WHERE session_id = ? ORDER BY id DESC LIMIT 1",
    "INSERT INTO part SELECT 'prt_n', 'msg_n', 'ses_new', time_created, time_updated, data FROM part "
    "WHERE session_id = ? AND data LIKE '%\"text\"%' ORDER BY id DESC LIMIT 1",
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))


def _session_in_database(written: Written) -> str:
    """Return a session that no file holds."""
    rows = written.open[0].execute("SELECT DISTINCT session_id FROM message")
    files = {path.stem for path in written.root.glob("**/*.json")}
    return min({str(key) for (key,) in rows} - files)


def _writer_with_log(path: Path, size: int) -> sqlite3.Connection:
    """Open a new database with a value of this size in its table; the next write begins the log again."""
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("CREATE TABLE t (v)")
    writer.execute(f"INSERT INTO t VALUES (zeroblob({size}))")
    writer.execute("PRAGMA wal_checkpoint")
    return writer


@pytest.mark.parametrize("large", [False, True])
def test_a_row_that_changes_without_a_new_time_is_read_again_unless_the_database_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """A large database would be read as a whole after every change, where SQLite does not tell the sizes."""
    monkeypatch.setattr(counting, "_KNOWS_SIZES", (99,))
    if large:
        monkeypatch.setattr(counting, "_MOST_READ", 4_096)
    written = write_opencode(tmp_path / "root", 12)
    key = _session_in_database(written)
    history = TaskHistory([written.root], now=lambda: NOW)
    before = history.get(key)[0].token_usage
    database = written.open[0]
    where = "WHERE session_id = ? AND json_extract(data, '$.role') = 'assistant'"
    change = f"UPDATE message SET data = json_set(data, '$.tokens.output', 1234567) {where}"
    answers = database.execute(change, (key,)).rowcount
    database.commit()
    rows = {row.id: row for row in history.select(Selection(children=True))}
    after = rows[key].token_usage
    assert before is not None and after is not None
    assert after.output is not None and answers
    assert (after == before) if large else (after.output >= answers * 1_234_567 > (before.output or 0))


def test_every_reading_sees_whole_transactions(tmp_path: Path) -> None:
    written = write_opencode(tmp_path / "root", 12)
    key = _session_in_database(written)
    history = TaskHistory([written.root], now=lambda: NOW)
    counts = [history.get(key)[0].message_count or 0]
    argv = [sys.executable, "-c", _WRITER, str(written.root / "opencode.db"), key, "200"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as writer:
        while writer.poll() is None:
            counts.append(history.get(key)[0].message_count or 0)
    counts.append(history.get(key)[0].message_count or 0)
    written.close()
    assert writer.returncode == 0
    assert counts == sorted(counts), "an older state came back"
    assert counts[-1] - counts[0] == 400
    assert {(count - counts[0]) % 2 for count in counts} == {0}, "half of a transaction was read"


def test_changes_are_announced_at_once(tmp_path: Path) -> None:
    written = write_opencode(tmp_path / "root", 13)
    database = written.open[0]
    key = _session_in_database(written)
    history = TaskHistory([written.root], now=lambda: NOW)
    announced: queue.Queue[Changes] = queue.Queue()
    live = LiveHistory(history, announced.put, reconcile_seconds=3_600)
    live.start()
    try:
        announced.get(timeout=WAIT_SECONDS)
        until(lambda: live.state.mode == "watch", "mode watch")
        database.execute(_RENAME, (key,))
        database.commit()
        assert key in announced.get(timeout=WAIT_SECONDS).changed
        for statement in _ADD:
            database.execute(statement, (key,))
        database.commit()
        assert announced.get(timeout=WAIT_SECONDS).added == ["ses_new"]
    finally:
        live.close(5)
        written.close()


class BusyDatabase:
    """A database that changes after each of its copies, as one of a busy agent; counts the copies."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.copies = 0
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute("CREATE TABLE IF NOT EXISTS busy (value)")
        monkeypatch.setattr(foreign_database, "copy_of", self._copied)

    @contextlib.contextmanager
    def _copied(self, path: str, stamps: Stamps) -> Iterator[Path]:
        with copy_of(path, stamps) as copy:
            self.copies += 1
            self._database.execute("INSERT INTO busy VALUES (zeroblob(5000))")
            yield copy


@pytest.mark.parametrize("look", ["byFile", "search"])
def test_reading_all_sessions_does_not_list_a_busy_database_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    written = write_opencode(tmp_path / "root", 14, 60)
    history = TaskHistory([written.root], now=lambda: NOW)
    rows = history.list(children=True)
    busy = BusyDatabase(written.root / "opencode.db", monkeypatch)
    if look == "byFile":
        assert len([*history.files.candidates(["no such file.xyz"], rows)]) < len(rows)
        assert busy.copies < 10 < len(rows)
    else:
        assert current_versions(str(written.root)).keys() >= {row.id for row in rows}
        assert busy.copies < 10
    written.close()


def test_a_log_that_is_begun_again_during_the_copy_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "some.db")
    writer = _writer_with_log(Path(path), 50_000)
    before = stamps_of(path)
    copy = copied_file.copy_file

    def copy_before_a_write(source: str, target: Path) -> None:
        copy(source, target)
        if source.endswith("-wal"):
            writer.execute("INSERT INTO t VALUES (zeroblob(200000))")

    monkeypatch.setattr(private_copy, "copy_file", copy_before_a_write)
    with pytest.raises(Unsteady), copy_of(path, before):
        pass
    after = stamps_of(path)
    (database, log, _), (same, longer, _) = before, after
    assert log is not None and longer is not None
    assert (same, longer[2]) == (database, log[2]), "only the log changed"
    assert longer[1] > log[1], "the log grew"
    monkeypatch.undo()
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    with copy_of(path, after) as copied, sqlite3.connect(copied) as reader:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (2,)
    reader.close()
    writer.close()


def test_a_log_that_is_filled_again_is_copied_while_its_writer_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "some.db")
    writer = _writer_with_log(Path(path), 200_000)
    writer.execute("INSERT INTO t VALUES (1)")
    before = stamps_of(path)
    copy = copied_file.copy_file

    def copy_between_writes(source: str, target: Path) -> None:
        writer.execute("INSERT INTO t VALUES (1)")
        copy(source, target)
        writer.execute("INSERT INTO t VALUES (1)")

    monkeypatch.setattr(private_copy, "copy_file", copy_between_writes)
    with copy_of(path, before) as copied, sqlite3.connect(copied) as reader:
        (rows,) = reader.execute("SELECT count(*) FROM t").fetchone()
    reader.close()
    after = stamps_of(path)
    assert after[1] is not None and before[1] is not None
    assert after[1][1] == before[1][1], "the log was filled from the start"
    assert after != before
    assert rows == 5, "one row of each write before the log was copied"
    writer.close()
