"""Doctor counts, for each product, the sessions in which nobody wrote anything; they are not tasks."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine

ID = "0198c1e0-0000-7000-8000-000000000000"
STAMP = "2026-03-03T03:03:03.000Z"
_PLACES = {
    "claude": f"projects/-w/{ID}.jsonl",
    "codex": f"sessions/2026/03/03/rollout-2026-03-03T03-03-03-{ID}.jsonl",
    "cline": "sessions/1776000000000_abcde/1776000000000_abcde.json",
    "gemini": "tmp/p/chats/session-2026-03-03T03-03-0198c1e0.json",
    "qwen": f"projects/p/chats/{ID}.jsonl",
    "copilot": f"session-state/{ID}/events.jsonl",
}
_RECORDS: dict[str, dict[str, Any]] = {
    "claude": {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    "codex": {"timestamp": STAMP, "type": "session_meta", "payload": {"id": ID, "timestamp": STAMP}},
    "cline": {"version": 1, "session_id": "1776000000000_abcde", "started_at": STAMP, "status": "completed"},
    "gemini": {"sessionId": ID, "startTime": STAMP, "messages": []},
    "qwen": {"uuid": "u", "sessionId": ID, "timestamp": STAMP, "type": "system"},
    "copilot": {"type": "session.start", "data": {"sessionId": ID}, "id": "a", "timestamp": STAMP},
}


def write_file(root: Path, product: str) -> None:
    path = root / _PLACES[product]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(_RECORDS[product]) + "\n")


def write_row(root: Path, product: str) -> None:
    root.mkdir()
    with closing(sqlite3.connect(root / f"{product}.db")) as database, database:
        database.execute("CREATE TABLE session (id, parent_id, directory, title, time_created, time_updated)")
        database.execute("CREATE TABLE message (id, session_id, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, data)")
        database.execute("INSERT INTO session VALUES ('ses_1', NULL, '/w', 'New session', 1, 1)")


WRITERS: dict[str, Callable[[Path, str], None]] = {
    **dict.fromkeys(_PLACES, write_file),
    "opencode": write_row,
    "kilo": write_row,
}


@pytest.mark.parametrize("product", WRITERS)
def test_a_session_without_a_message_is_counted_and_not_listed(tmp_path: Path, product: str) -> None:
    root = tmp_path / "store"
    WRITERS[product](root, product)
    history = TaskHistory([root], now=lambda: NOW_MS, cache=tmp_path / "cache")
    (found,) = examine(history, NOW_MS).roots
    assert (found.tasks, found.empty_folders) == (0, 1)
