"""Compactions of an agent's context as lines of the log."""

from typing import Any

import pytest

from sidecar.subagents.runners.acp.updates.events import SessionEvents

Json = dict[str, Any]


def compaction(status: str, compaction_id: str = "c1", **members: Any) -> Json:
    return {"sessionUpdate": "compaction_update", "compactionId": compaction_id, "status": status, **members}


def piece(text: str, compaction_id: str = "c1") -> Json:
    content = {"type": "text", "text": text}
    return {"sessionUpdate": "compaction_summary_chunk", "compactionId": compaction_id, "content": content}


def logged(*updates: Json) -> list[str]:
    events = SessionEvents()
    found = [event for update in updates for event in events.take(update)]
    assert {(event["type"], event["stream"]) for event in found} <= {("log", "agent")}
    return [event["text"] for event in found]


def test_the_start_and_the_end_are_logged_once_with_the_whole_summary() -> None:
    done = compaction("completed", _meta={"tokens": 5})
    assert logged(compaction("in_progress"), piece("We compare "), piece("dates.\n"), done, done) == [
        "The agent is compacting its context.\n",
        "The agent compacted its context. We compare dates.\n",
    ]


def test_a_summary_at_the_end_replaces_its_pieces() -> None:
    summary = [{"type": "text", "text": "Dates."}, "odd"]
    assert logged(piece("Dat"), compaction("completed", summary=summary)) == [
        "The agent compacted its context. Dates.\n"
    ]


def test_another_compaction_has_a_summary_of_its_own() -> None:
    assert logged(piece("first"), compaction("completed", "c2")) == ["The agent compacted its context.\n"]


@pytest.mark.parametrize(
    ("update", "text"),
    [
        (compaction("failed", error="no room"), "The agent could not compact its context. no room\n"),
        (compaction("cancelled"), "The agent stopped compacting its context.\n"),
        (compaction("paused"), "The agent reports a compaction of its context: paused.\n"),
    ],
)
def test_other_ends_say_what_happened(update: Json, text: str) -> None:
    assert logged(update) == [text]


def test_a_turn_that_only_compacts_has_done_something() -> None:
    events = SessionEvents()
    list(events.take(compaction("completed")))
    assert not events.is_idle


def test_a_long_summary_is_bounded() -> None:
    (text,) = logged(*(piece("x" * 1_000) for _ in range(100)), compaction("completed"))
    assert len(text) < 5_000
    assert "[cut: " in text
