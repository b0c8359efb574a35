"""Sessions of Cline 4: running and killed processes, damage, changes, and where they are found."""

import json
import os
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.corpus.sessions.cline import write_cline
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.discovery import discover_roots
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.cline_sessions.family import CLINE_SESSIONS
from sidecar.history.stores.cline_sessions.records import read_transcript
from sidecar.history.stores.cline_sessions.transcript import files_of, messages_of
from sidecar.history.stores.editors import Machine

KEY = "1776254000000_abcde"
HOUR = 3_600_000


def write(root: Path, messages: list[Any] | bytes, **manifest: Any) -> Path:
    folder = root / "sessions" / KEY
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"session_id": KEY, "cwd": "/w", "prompt": "do it", "metadata": {}, **manifest}
    (folder / f"{KEY}.json").write_text(json.dumps(whole))
    data = (
        messages if isinstance(messages, bytes) else json.dumps({"version": 1, "messages": messages}).encode()
    )
    (folder / f"{KEY}.messages.json").write_bytes(data)
    return folder / f"{KEY}.messages.json"


def message_of(role: str, text: str, at: int = NOW - HOUR) -> dict[str, Any]:
    return {"id": f"m{at}{role}", "role": role, "ts": at, "content": [{"type": "text", "text": text}]}


def history_of(root: Path, now: int = NOW) -> TaskHistory:
    return TaskHistory([root], now=lambda: now)


def _iso(ms: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(ms / 1000, UTC).isoformat()


@pytest.mark.parametrize(
    ("pid", "moved_ms", "expected"),
    [
        ("own", 1_000, ("active", "interrupted")),
        ("own", -HOUR, ("abandoned", "interrupted")),
        (99_999_999, 0, ("abandoned", "interrupted")),
        (-1, 0, ("abandoned", "interrupted")),
        (2**70, 0, ("abandoned", "interrupted")),
        ("1", 0, ("abandoned", "interrupted")),
    ],
)
def test_a_running_session_needs_the_process_that_began_before_it(
    tmp_path: Path, pid: Any, moved_ms: int, expected: tuple[str, str]
) -> None:
    began = psutil.Process().create_time() * 1000
    started = _iso(began + moved_ms)
    pid = os.getpid() if pid == "own" else pid
    write(tmp_path, [message_of("user", "do it")], status="running", pid=pid, started_at=started)
    (task,) = history_of(tmp_path).list()
    assert (task.status, task.outcome) == expected


def test_the_end_of_a_process_shows_without_a_change_of_a_file(tmp_path: Path) -> None:
    started = _iso(psutil.Process().create_time() * 1000 + 1_000)
    write(tmp_path, [message_of("user", "do it")], status="running", pid=os.getpid(), started_at=started)
    now = [NOW]
    history = TaskHistory([tmp_path], now=lambda: now[0])
    row = history.store(str(tmp_path)).rows([KEY], "structural", NOW)[KEY]
    assert row is not None and row.until == NOW + 10_000


@pytest.mark.parametrize(
    ("content", "codes", "count"),
    [
        (b'{"version":1,"messages":[{"role":"user","content":"a"},{"role":"assi', ["cut"], 1),
        (b'\xef\xbb\xbf{"version":1,"messages":[{"role":"user","content":"a"}]}', ["byteOrderMark"], 1),
        (b'{"version":1,"messages":[{"role":"user","content":"a"},7]}', ["malformed"], 1),
        (b'{"version":1,"messages":[{"role":"user","content":"a"}]}' + b"\0" * 9, ["padding"], 1),
        (b"", ["notMessages"], 0),
        (b"[" * 100_000, ["notMessages"], 0),
    ],
)
def test_damage_is_reported_and_the_rest_is_read(
    tmp_path: Path, content: bytes, codes: list[str], count: int
) -> None:
    write(tmp_path, content, status="completed")
    (task,) = history_of(tmp_path).list()
    assert ([problem.code for problem in task.problems], task.message_count) == (codes, count)
    assert task.title in ("a", "do it")


def test_a_broken_manifest_hides_nothing(tmp_path: Path) -> None:
    prompt = message_of("user", '<user_input mode="plan">do it</user_input>')
    path = write(tmp_path, [prompt, message_of("assistant", "done")])
    path.with_name(f"{KEY}.json").write_text('{"session_id": "x", "status": "runn')
    (task,) = history_of(tmp_path).list()
    assert (task.title, task.status, task.problems[0].code) == ("do it", "completed", "malformed")


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = write(tmp_path / "root", [message_of("user", "do it")])
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    outside = tmp_path / "outside" / "1776254000001_linkd"
    outside.mkdir(parents=True)
    (outside / "1776254000001_linkd.messages.json").write_text('{"messages":[{"role":"user","content":"x"}]}')
    (tmp_path / "root" / "sessions" / outside.name).symlink_to(outside, target_is_directory=True)
    (task,) = history_of(tmp_path / "root").list()
    assert (task.id, [problem.code for problem in task.problems]) == (KEY, ["notRegular"])


def test_a_rewritten_file_is_read_again(tmp_path: Path) -> None:
    messages = [message_of("user", "do it")]
    write(tmp_path, messages, status="completed")
    history = history_of(tmp_path)
    history.list()
    history.refresh()
    write(tmp_path, [*messages, message_of("assistant", "done", NOW)], status="completed")
    assert history.refresh().changed == [KEY]
    assert history.list()[0].message_count == 2


def test_a_subagent_that_appears_changes_its_parent(tmp_path: Path) -> None:
    path = write(tmp_path, [message_of("user", "do it")], status="completed")
    history = history_of(tmp_path)
    history.list()
    history.refresh()
    (path.parent / "agent_1.messages.json").write_text(json.dumps({"messages": [message_of("user", "look")]}))
    changes = history.refresh()
    assert (changes.added, changes.changed) == ([f"{KEY}__agent_1"], [KEY])
    assert history.list()[0].child_ids == [f"{KEY}__agent_1"]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_data_folder_is_found(tmp_path: Path, platform: str) -> None:
    write_cline(tmp_path / ".cline" / "data", 1, 1)
    assert discover_roots(Machine(tmp_path, {}, platform)).roots == [tmp_path / ".cline" / "data"]


def test_a_variable_moves_the_data_folder(tmp_path: Path) -> None:
    write_cline(tmp_path / "moved", 1, 1)
    environment = {"CLINE_DATA_DIR": str(tmp_path / "moved")}
    assert discover_roots(Machine(tmp_path, environment, "linux")).roots == [tmp_path / "moved"]


def test_a_root_is_recognized_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "sessions" / KEY).mkdir(parents=True)
    assert not CLINE_SESSIONS.recognizes(str(tmp_path))
    write(tmp_path, [])
    assert CLINE_SESSIONS.recognizes(str(tmp_path))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    [
        "role",
        "content",
        "ts",
        "metrics",
        "modelInfo",
        "type",
        "text",
        "name",
        "input",
        "id",
    ]
)
_BLOCK = st.dictionaries(_NAMES, _JSON | st.sampled_from(["text", "tool_use", "tool_result", "thinking"]))
_ROLES = st.sampled_from(["user", "assistant"])
_MESSAGE = st.dictionaries(_NAMES, _JSON | _ROLES | st.lists(_BLOCK, max_size=3))


@pytest.mark.slow
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(_MESSAGE | _JSON, max_size=4), manifest=st.dictionaries(st.text(max_size=8), _JSON))
def test_any_content_is_read(tmp_path: Path, messages: list[Any], manifest: dict[str, Any]) -> None:
    write(tmp_path, messages, **{name: value for name, value in manifest.items() if name != "session_id"})
    for task in history_of(tmp_path).list(children=True):
        assert task.id == KEY


@given(data=st.binary(max_size=60), cut=st.integers(0, 80))
def test_any_bytes_are_read(data: bytes, cut: int) -> None:
    whole = b'{"version":1,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{}]}]}'
    for content in (data, whole[:cut] + data, data + whole):
        transcript = read_transcript(StoredFile("x", content))
        messages_of(transcript)
        list(files_of(transcript))
