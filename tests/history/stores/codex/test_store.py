"""What happens to a store of Codex while it is read, and the forms that its sessions had over time."""

import json
import queue
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.corpus.agents.codex import START, Session
from sidecar.corpus.agents.truth import Truth
from sidecar.history.live import LiveHistory
from sidecar.history.stores.codex import reader
from sidecar.history.stores.codex.state_folders import StateFolders
from sidecar.history.task_history import Changes
from tests.history.live.conftest import WAIT_SECONDS, until
from tests.history.stores.fixtures.growing import append, history_of, tasks

ID = "019cc11b-9cd5-7a38-8f26-e4a140ed9828"


def made(number: int = 1) -> Session:
    """Make a session with one turn."""
    session = Session(Random(number), Truth("", model="gpt-5.4", workspace="/w"), START + number * 1_000_000)
    session.begin()
    session.turn()
    return session


def path_of(root: Path, session: Session) -> Path:
    return root / "sessions" / "2026" / "02" / f"rollout-2026-02-02T03-04-05-{session.truth.id}.jsonl"


def write(root: Path, session: Session, start: int = 0) -> None:
    """Write the records of a session from `start` on."""
    append(path_of(root, session), session.records[start:])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_appended_turns_new_sessions_and_names_are_announced(root: Path) -> None:
    session = made(1)
    write(root, session)
    history = history_of(root)
    announced: queue.Queue[Changes] = queue.Queue()
    live = LiveHistory(history, announced.put)
    live.start()
    try:
        assert announced.get(timeout=WAIT_SECONDS).added == [session.truth.id]
        until(lambda: live.state.mode == "watch", "mode watch")
        known = len(session.records)
        session.turn()
        write(root, session, known)
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [session.truth.id], [])
        other = made(2)
        write(root, other)
        assert announced.get(timeout=WAIT_SECONDS) == Changes([other.truth.id], [], [])
        (root / "session_index.jsonl").write_text(
            json.dumps({"id": other.truth.id, "thread_name": "A name"}) + "\n"
        )
        assert announced.get(timeout=WAIT_SECONDS) == Changes([], [other.truth.id], [])
        assert tasks(history)[other.truth.id].title == "A name"
    finally:
        live.close(5)


def test_a_name_in_the_log_of_the_database_is_read(root: Path) -> None:
    session = made(1)
    write(root, session)
    history = history_of(root)
    assert tasks(history)[session.truth.id].title == session.first_prompt
    database = sqlite3.connect(root / "state_5.sqlite")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT)")
    database.execute("INSERT INTO threads VALUES (?, 'Named', 'x')", (session.truth.id,))
    database.commit()
    assert (root / "state_5.sqlite-wal").stat().st_size
    assert tasks(history)[session.truth.id].title == "Named"
    database.close()


@pytest.mark.parametrize("named_by", ["absolute", "relative", "variable", "nothing"])
def test_the_database_of_names_may_be_in_another_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named_by: str
) -> None:
    session = made(1)
    write(root, session)
    folder = root / "db" if named_by == "relative" else tmp_path / "db"
    folder.mkdir()
    if named_by == "variable":
        monkeypatch.setenv("CODEX_HOME", str(root))
    else:
        monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.setenv("CODEX_SQLITE_HOME", str(folder) if named_by in ("variable", "nothing") else "/none")
    history = history_of(root)
    assert tasks(history)[session.truth.id].title == session.first_prompt
    if named_by in ("absolute", "relative"):
        value = "db" if named_by == "relative" else str(folder)
        (root / "config.toml").write_text(f'model = "m"\nsqlite_home = "{value}"\n')
    database = sqlite3.connect(folder / "state_5.sqlite")
    database.execute("CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT)")
    database.execute("INSERT INTO threads VALUES (?, 'Named', 'x')", (session.truth.id,))
    database.commit()
    database.close()
    title = session.first_prompt if named_by == "nothing" else "Named"
    assert tasks(history)[session.truth.id].title == title
    assert tasks(history_of(root))[session.truth.id].title == title


def test_the_users_home_is_looked_up_for_the_variable_only(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, made(1))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    folders = StateFolders(str(root))
    monkeypatch.delenv("CODEX_SQLITE_HOME", raising=False)
    assert folders.places() == [(str(root), 1)]
    monkeypatch.setenv("CODEX_SQLITE_HOME", str(tmp_path / "db"))
    assert folders.places() == [(str(tmp_path / "home"), 0), (str(root), 1)]
    (tmp_path / "home").symlink_to(root)
    assert folders.places() == [(str(tmp_path / "home"), 0), (str(tmp_path / "db"), 1), (str(root), 1)]


def test_the_first_versions_have_no_envelope(root: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"id": ID, "timestamp": "2026-02-02T03:04:05.000Z", "instructions": "x"},
        message("user", "<environment_context>\n</environment_context>"),
        message("user", "mend the parser"),
        {"type": "function_call", "name": "shell", "call_id": "c", "arguments": '{"command":["ls"]}'},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": '{"output":"a","metadata":{"exit_code":1}}',
        },
        message("assistant", "done"),
    ]
    file = root / "sessions" / f"rollout-2025-05-07-{ID}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    check_first_version(root)


def test_the_very_first_files_are_one_document(root: Path) -> None:
    document = {
        "session": {"id": ID, "timestamp": "2026-02-02T03:04:05.000Z"},
        "items": [message("user", "mend the parser"), message("assistant", "done")],
    }
    file = root / "sessions" / f"rollout-2025-05-07-{ID}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(document, indent=2))
    check_first_version(root)


def check_first_version(root: Path) -> None:
    history = history_of(root)
    (task,) = tasks(history).values()
    assert (task.id, task.title, task.message_count, task.status, task.problems) == (
        ID,
        "mend the parser",
        2,
        "completed",
        [],
    )
    assert task.token_usage is None and task.created_at == 1_770_001_445_000
    shown = history.messages(ID).messages
    assert [each.text for each in shown if each.kind == "text"] == ["mend the parser", "done"]
    assert {each.tool.status for each in shown if each.kind == "tool_result" and each.tool} <= {"error"}


def message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}


def test_a_compressed_session_is_read_or_says_what_is_needed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = made(1)
    write(root, session)
    plain = path_of(root, session)
    data = plain.read_bytes()
    plain.with_name(plain.name + ".zst").write_bytes(b"\x28\xb5\x2f\xfd" + data)
    history = history_of(root)
    assert tasks(history)[session.truth.id].problems == []
    plain.unlink()
    monkeypatch.setattr(reader, "_zstd", lambda: None)
    (task,) = tasks(history).values()
    assert [problem.code for problem in task.problems] == ["unreadable"] and "zstd" in task.problems[
        0
    ].message
    monkeypatch.setattr(reader, "_zstd", lambda: lambda compressed: compressed[4:])
    (task,) = tasks(history_of(root.rename(root.parent / "moved"))).values()
    assert (task.title, task.message_count) == (session.first_prompt, session.truth.messages)


@pytest.mark.parametrize(
    ("damage", "codes"),
    [
        (lambda data: data[:-9], []),
        (lambda data: data.replace(b'"event_msg"', b'"event_msg', 1), ["malformed"]),
        (lambda data: data.replace(b"cli", b"\xff\xfe", 1), ["badUtf8"]),
        (lambda data: data + b"\0" * 512 + b"\n", ["padding"]),
    ],
)
def test_damage_is_reported_and_the_rest_is_read(root: Path, damage: Any, codes: list[str]) -> None:
    session = made(4)
    write(root, session)
    file = path_of(root, session)
    file.write_bytes(damage(file.read_bytes()))
    (task,) = tasks(history_of(root)).values()
    assert [problem.code for problem in task.problems] == codes
    assert task.title == session.first_prompt and task.token_usage is not None


def test_files_of_a_patch_are_listed(root: Path) -> None:
    session = made(1)
    while not any(record["payload"].get("name") == "apply_patch" for record in session.records):
        session.turn()
    write(root, session)
    history = history_of(root)
    files = history.files.files(tasks(history)[session.truth.id])
    assert [(file.path, set(file.actions)) for file in files] == [("a.py", {"edited"})]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_damage_leaves_a_row(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    session = made(data.draw(st.integers(0, 5)))
    root = tmp_path_factory.mktemp("codex") / "store"
    write(root, session)
    file = path_of(root, session)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
    file.write_bytes(content)
    history = history_of(root)
    for task in tasks(history).values():
        assert history.get(task.id)[0] == task
        history.messages(task.id)
        history.files.files(task)
