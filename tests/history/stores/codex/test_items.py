"""Newer versions of Codex report messages as completed items: their sessions have the same values."""

from pathlib import Path

import pytest

from sidecar.api.stored.tasks import StoredMessage, TaskInfo
from sidecar.corpus.agents.codex import Session
from sidecar.corpus.agents.codex_items import as_item
from sidecar.history import TaskHistory
from tests.history.stores.codex.test_store import made, write
from tests.history.stores.fixtures.growing import history_of


def row(history: TaskHistory) -> TaskInfo:
    (task,) = history.list()
    return task


def messages(history: TaskHistory) -> list[tuple[str, str, str | None]]:
    found: list[StoredMessage] = history.messages(row(history).id).messages
    return [(each.role, each.kind, each.text) for each in found]


def both(folder: Path, session: Session) -> tuple[TaskHistory, TaskHistory]:
    """Write a session in both forms."""
    write(folder / "events" / "store", session)
    session.records = [as_item(record) for record in session.records]
    write(folder / "items" / "store", session)
    return history_of(folder / "events" / "store"), history_of(folder / "items" / "store")


@pytest.mark.parametrize("end", ["task_complete", "turn_aborted"])
def test_messages_as_items_give_the_same_row_and_transcript(tmp_path: Path, end: str) -> None:
    session = made(3)
    session.turn(end)
    events, items = both(tmp_path, session)
    assert messages(items) == messages(events)
    one, other = row(items), row(events)
    assert (one.title, one.status, one.outcome, one.message_count, one.token_usage, one.model) == (
        other.title,
        other.status,
        other.outcome,
        other.message_count,
        other.token_usage,
        other.model,
    )


def test_a_session_that_a_newer_version_continued_counts_all_messages(tmp_path: Path) -> None:
    session = made(3)
    old = len(session.records)
    session.turn()
    session.records[old:] = [as_item(record) for record in session.records[old:]]
    write(tmp_path / "store", session)
    assert row(history_of(tmp_path / "store")).message_count == session.truth.messages


def test_a_summary_of_reasoning_is_shown_but_not_counted(tmp_path: Path) -> None:
    session = made(3)
    item = {"type": "Reasoning", "id": "r", "summary_text": ["Think", "first"], "raw_content": []}
    session.event("item_completed", turn_id="t", item=item)
    write(tmp_path / "store", session)
    history = history_of(tmp_path / "store")
    assert ("assistant", "reasoning", "Think\nfirst") in messages(history)
    assert row(history).message_count == session.truth.messages
