"""Many sessions that begin with copied records of one cost little more than as many others."""

import json
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.corpus.agents.claude import START
from sidecar.corpus.agents.claude_session import Session
from sidecar.corpus.agents.truth import Truth, iso
from sidecar.history.stores.claude.store import ClaudeStore
from tests.history.stores.fixtures.growing import append, history_of, tasks

_FORKS = 400
_SIMILAR = 150
_MOST_BYTES = 8_000_000


def _base() -> Session:
    session = Session(Random(1), Truth("", model="claude-opus-4-6", workspace="/w"), START, "/w")
    session.truth.id = session.uuid()
    for _ in range(5):
        session.turn()
    return session


def _path(root: Path, name: str) -> Path:
    return root / "projects" / "-w" / f"{name}.jsonl"


def _fork(base: Session, number: int) -> tuple[str, list[dict[str, object]]]:
    """Return a new id, and the records of a session with two answers, the last of which is its own."""
    name = f"{number:08x}-0000-4000-8000-000000000000"
    last = json.loads(json.dumps(next(each for each in base.records[::-1] if each["type"] == "assistant")))
    last |= {"uuid": f"{number:08x}-1111-4000-8000-000000000000", "requestId": f"req_{number}"}
    last["timestamp"] = iso(START + 100_000_000 + number)
    last["message"] |= {"id": f"msg_{number}"}
    return name, [{**each, "sessionId": name} for each in (*base.records, last)]


def _read(root: Path) -> tuple[dict[str, TaskInfo], int]:
    """Read the sessions, and return the most memory that takes, in bytes."""
    tracemalloc.start()
    try:
        rows = tasks(history_of(root))
        return rows, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.timeout(60)
def test_hundreds_of_forks_of_a_session_are_read_in_little_time_and_memory(tmp_path: Path) -> None:
    root, base = tmp_path / "store", _base()
    append(_path(root, base.truth.id), base.records)
    names = set()
    for number in range(_FORKS):
        name, records = _fork(base, number)
        append(_path(root, name), records)
        names.add(name)
    rows, peak = _read(root)
    assert rows.keys() == names | {base.truth.id}
    assert rows[base.truth.id].message_count == base.truth.messages
    assert {rows[name].message_count for name in names} == {1}, "copied records count once"
    assert peak < _MOST_BYTES


@pytest.mark.timeout(60)
@pytest.mark.parametrize("end", ["{:012x}", "000000000000"], ids=["the first digits", "all digits of a hash"])
def test_sessions_whose_records_have_similar_ids_take_little_memory(tmp_path: Path, end: str) -> None:
    root, base = tmp_path / "store", _base()
    names = {_append_similar(root, base, number, end) for number in range(_SIMILAR)}
    rows, peak = _read(root)
    assert rows.keys() == names
    assert {row.message_count for row in rows.values()} == {base.truth.messages}
    assert peak < _MOST_BYTES


def _append_similar(root: Path, base: Session, number: int, end: str) -> str:
    """Write a session with own records, whose IDs begin like those of all others; return its ID."""
    name = f"{number:08x}-0000-4000-8000-000000000000"
    uuids: dict[object, str | None] = {None: None}
    for record in base.records:
        n = number * len(base.records) + len(uuids)
        if (known := record.get("uuid")) is not None:
            uuids[known] = f"01a22ce0-{n >> 16:04x}-7000-{n & 0xFFFF:04x}-{end.format(n)}"
    for record in json.loads(json.dumps(base.records)):
        changed = {key: uuids[record[key]] for key in ("uuid", "parentUuid") if key in record}
        if "id" in record.get("message", {}):
            record["message"]["id"] += f"-{number}"
        append(_path(root, name), [{**record, **changed, "sessionId": name}])
    return name


def test_records_that_are_copied_while_the_store_is_listed_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, base = tmp_path / "store", _base()
    append(_path(root, base.truth.id), base.records)
    name, records = _fork(base, 1)
    append(_path(root, name), records[:4])
    related = ClaudeStore.related

    def copied_before(*arguments: object) -> object:
        if len(_path(root, name).read_bytes().splitlines()) == 4:
            append(_path(root, name), records[4:])
        return related(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ClaudeStore, "related", copied_before)
    rows = tasks(history_of(root))
    assert rows[base.truth.id].message_count == base.truth.messages
    assert rows[name].message_count == 1


def test_a_session_that_continues_after_a_fork_keeps_its_records(tmp_path: Path) -> None:
    root, base = tmp_path / "store", _base()
    queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": iso(START - 1_000)}
    name, records = _fork(base, 1)
    append(_path(root, name), records)
    _, later = _fork(base, 2)
    append(_path(root, base.truth.id), [queued, *base.records, later[-1]])
    rows = tasks(history_of(root))
    assert rows[base.truth.id].message_count == base.truth.messages + 1
    assert rows[name].message_count == 1


@pytest.mark.parametrize("queues", [False, True], ids=["no queue", "a queue in the fork"])
@pytest.mark.parametrize("marked", [False, True], ids=["unmarked", "marked"])
def test_what_a_fork_shows_decides_who_keeps_the_records(tmp_path: Path, marked: bool, queues: bool) -> None:
    root, base = tmp_path / "store", _base()
    original = _path(root, base.truth.id)
    append(original, base.records)
    history = history_of(root)
    tasks(history)
    name, records = _fork(base, 1)
    if marked:  # as `/branch` does
        copied = {"sessionId": base.truth.id, "messageUuid": "x"}
        records = [{**each, "forkedFrom": copied} for each in records[:-1]] + records[-1:]
    queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": iso(START + 99_000_000)}
    append(_path(root, name), [*records[:-1], *([queued] if queues else []), records[-1]])
    history.refresh()
    _, later = _fork(base, 2)
    before_the_fork_ends = later[-1] | {"timestamp": iso(START + 99_500_000)}
    append(original, [later[-1] if marked else before_the_fork_ends])
    history.refresh()
    for rows in (tasks(history), tasks(history_of(root))):
        assert rows[base.truth.id].message_count == base.truth.messages + 1
        assert rows[name].message_count == 1
