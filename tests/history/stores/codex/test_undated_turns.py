"""Forks and children of versions that give turns no ID: their own records follow a pause."""

from pathlib import Path
from typing import Any

from tests.history.stores.fixtures.growing import append, history_of, tasks

PARENT, CHILD = "019d9095-5900-7000-8000-000000000001", "019d9096-dfa0-7000-8000-000000000065"


def record(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-04-15T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def meta(second: int, key: str, **more: Any) -> dict[str, Any]:
    return record(second, "session_meta", id=key, timestamp="2026-04-15T10:00:00.000Z", cwd="/w", **more)


def turn(second: int, prompt: str, total: int, last: int) -> list[dict[str, Any]]:
    """Return the records of a turn of three seconds; `total` and `last` are input tokens."""
    sums = {
        "total_token_usage": {"input_tokens": total, "output_tokens": 0},
        "last_token_usage": {"input_tokens": last, "output_tokens": 0},
    }
    return [
        record(second, "event_msg", type="task_started"),
        record(second, "turn_context", cwd="/w", model="gpt-5"),
        record(second, "event_msg", type="user_message", message=prompt),
        record(second + 2, "event_msg", type="agent_message", message="done"),
        record(second + 2, "event_msg", type="token_count", info=sums),
        record(second + 3, "event_msg", type="task_complete", last_agent_message="done"),
    ]


def listed(root: Path, records: list[dict[str, Any]]) -> tuple[str, int | None, int | float | None]:
    """Return the title, messages and input of the session that has these records."""
    append(root / "sessions" / "2026" / "04" / "15" / f"rollout-2026-04-15T10-00-00-{CHILD}.jsonl", records)
    task = tasks(history_of(root))[CHILD]
    assert task.token_usage is not None
    return task.title, task.message_count, task.token_usage.input


def test_a_fork_counts_what_follows_the_copied_records(tmp_path: Path) -> None:
    copied = [{**each, "timestamp": "2026-04-15T10:00:30.000Z"} for each in turn(1, "first", 1_000, 1_000)]
    records = [meta(30, CHILD, forked_from_id=PARENT), meta(30, PARENT), *copied]
    assert listed(tmp_path / "store", [*records, *turn(40, "second", 1_700, 700)]) == ("second", 2, 700)


def test_a_child_that_copied_nothing_is_listed(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    records = [meta(30, CHILD, source=spawned), *turn(30, "look", 777, 777)]
    title, messages, given = listed(tmp_path / "store", records)
    assert (title, given) == ("look", 777)
    assert messages


def test_a_session_whose_first_record_is_repeated_is_listed(tmp_path: Path) -> None:
    records = [meta(0, CHILD), meta(30, CHILD), *turn(40, "look", 300, 300)]
    assert listed(tmp_path / "store", records) == ("look", 2, 300)
