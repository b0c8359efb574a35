"""A damaged page of the sessions or of another session's messages hides only what is on it."""

import json
import sqlite3
from pathlib import Path

import pytest

from sidecar.corpus.sessions.opencode import TABLES
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory

pytestmark = pytest.mark.usefixtures("without_rests")
PAGE = 4096
COUNT = 60
_INDEX = "CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id)"
_SESSION = "INSERT INTO session VALUES (?, 'p', NULL, 's', '/w', ?, '1.2.25', ?, ?, NULL)"
_MESSAGE = "INSERT INTO message VALUES (?, ?, ?, ?, ?)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a database of 60 sessions with a prompt and an answer each, and a fork of the last one."""
    path = tmp_path / "root" / "opencode.db"
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.executescript(f"{TABLES};{_INDEX}")
    for number in range(COUNT):
        add(database, f"ses_{number:03}", NOW - 1_000_000 + number * 1_000, f"title {number}. " + "x" * 600)
    fork = NOW - 1_000
    database.execute(_SESSION, ("ses_fork", "fork", fork, fork))
    query = "SELECT id, time_created, data FROM message WHERE session_id = ?"
    for key, at, data in database.execute(query, (f"ses_{COUNT - 1:03}",)).fetchall():
        database.execute(_MESSAGE, (f"{key}f", "ses_fork", at, at, data))
    database.commit()
    database.close()
    return path


def add(database: sqlite3.Connection, key: str, at: int, title: str) -> None:
    database.execute(_SESSION, (key, title, at, at))
    for place, role in enumerate(("user", "assistant")):
        times = {"created": at + place, "completed": at + place}
        tokens = {"input": 100, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        more = {"modelID": "m", "cost": 1.0, "tokens": tokens, "finish": "stop"} if place else {}
        data = json.dumps({"role": role, "time": times, "padding": key + "x" * 9_000, **more})
        database.execute(_MESSAGE, (f"msg_{key}_{place}", key, at + place, at, data))
    data = json.dumps({"type": "text", "text": f"words of {key}"})
    database.execute(
        "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"prt_{key}", f"msg_{key}_0", key, at, at, data)
    )


def damage(path: Path, text: bytes) -> None:
    data = bytearray(path.read_bytes())
    page = data.index(text) // PAGE
    data[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)


def listed(path: Path) -> tuple[set[str], str]:
    history = TaskHistory([path.parent], now=lambda: NOW)
    rows = {row.id for row in history.list(children=True) if not row.problems}
    return rows, str(history.store(str(path.parent)).unlistable())


def test_the_sessions_of_other_pages_are_listed_and_the_lost_ones_named(path: Path) -> None:
    before, why = listed(path)
    assert (len(before), why) == (COUNT + 1, "None")
    damage(path, b"title 30. ")
    after, why = listed(path)
    lost = before - after
    assert "ses_030" in lost and len(lost) < 8
    assert f"{len(lost)} of its sessions are damaged" in why and min(lost) in why


def test_a_fork_is_read_though_a_message_of_another_session_is_damaged(path: Path) -> None:
    damage(path, b"ses_010" + b"x" * 100)
    history = TaskHistory([path.parent], now=lambda: NOW)
    rows = {row.id: row for row in history.list(children=True)}
    assert "ses_fork" in rows and not rows["ses_fork"].problems
    assert rows["ses_fork"].token_usage is None or not rows["ses_fork"].token_usage.input
    assert rows["ses_010"].problems
