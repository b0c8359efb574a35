"""What newer versions of Gemini CLI write: calls apart from their answer, and chats that are opened again."""

import json
from pathlib import Path
from typing import Any

from tests.history.stores.fixtures.agents import history_of, listed

Json = dict[str, Any]

KEY = "6818f698-92ae-454b-940b-ab9d0556a49e"
HEADER: Json = {"sessionId": KEY, "startTime": "2026-04-15T11:00:00.000Z", "kind": "main"}
CONTEXT: Json = {
    "id": "context",
    "type": "user",
    "content": [{"text": "<session_context>\nThis is the Gemini CLI."}],
}
RESTART: list[Json] = [HEADER, {"$set": {"messages": [CONTEXT]}}]
TOKENS = {"input": 10, "output": 2, "cached": 0, "thoughts": 0, "tool": 0, "total": 12}
CALL = {"id": "c", "name": "write_file", "args": {}, "status": "success"}


def prompt(name: str) -> Json:
    return {"id": name, "type": "user", "content": [{"text": f"prompt {name}"}]}


def answer(name: str, **more: Any) -> Json:
    return {"id": name, "type": "gemini", "content": "", "model": "m", **more}


def row_of(root: Path, *records: Json) -> Json:
    """Write a chat of these records, and return its row."""
    chats = root / "store" / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    (chats / f"session-2026-04-15T11-00-{KEY[:8]}.jsonl").write_text(
        "".join(json.dumps(each) + "\n" for each in records)
    )
    return listed(history_of(root / "store"))[KEY]


def test_a_call_that_is_recorded_apart_belongs_to_the_answer_before(tmp_path: Path) -> None:
    row = row_of(
        tmp_path,
        *RESTART,
        prompt("1"),
        answer("2", tokens=TOKENS),
        answer("3", toolCalls=[CALL]),
        {"id": "4", "type": "user", "content": [{"functionResponse": {"name": "write_file"}}]},
        answer("5", content="Done.", tokens=TOKENS),
    )
    assert (row["messageCount"], row["tokenUsage"]["total"]) == (3, 24)


def test_every_answer_with_its_own_tokens_and_calls_counts(tmp_path: Path) -> None:
    calls = [answer(name, toolCalls=[CALL], tokens=TOKENS) for name in ("2", "3")]
    row = row_of(tmp_path, *RESTART, prompt("1"), *calls, answer("4", toolCalls=[CALL]))
    assert (row["messageCount"], row["tokenUsage"]["total"]) == (4, 24)


def test_a_chat_that_is_opened_again_keeps_its_messages(tmp_path: Path) -> None:
    first = [*RESTART, prompt("1"), answer("2", content="Yes.", tokens=TOKENS)]
    row = row_of(tmp_path, *first, *RESTART, prompt("3"), answer("4", content="No.", tokens=TOKENS))
    assert (row["title"], row["messageCount"], row["tokenUsage"]["total"]) == ("prompt 1", 4, 24)


def test_messages_that_a_reopened_chat_sets_replace_those_before(tmp_path: Path) -> None:
    first = [*RESTART, prompt("1"), answer("2", content="Yes.", tokens=TOKENS)]
    row = row_of(tmp_path, *first, HEADER, {"$set": {"messages": [CONTEXT, prompt("3")]}})
    assert (row["title"], row["messageCount"], "tokenUsage" in row) == ("prompt 3", 1, False)


def test_messages_that_are_set_without_a_restart_replace_those_before(tmp_path: Path) -> None:
    first = [*RESTART, prompt("1"), answer("2", content="Yes.", tokens=TOKENS)]
    row = row_of(tmp_path, *first, RESTART[1], prompt("3"))
    assert (row["title"], row["messageCount"]) == ("prompt 3", 1)


def test_a_chat_that_is_resumed_in_a_later_minute_keeps_the_tokens_of_each_answer(tmp_path: Path) -> None:
    without_tokens = [CONTEXT, prompt("1"), answer("2", content="Yes.")]
    last = [prompt("3"), answer("4", content="No.", tokens=TOKENS)]
    named: Json = {"$set": {"sessionId": KEY}}
    row = row_of(
        tmp_path,
        *RESTART,
        *(prompt("1"), answer("2", content="Yes.", tokens=TOKENS)),
        *RESTART,
        named,
        {"$set": {"messages": without_tokens}},
        *last,
        named,  # the context of the third process is in a file of its own
        {"$set": {"messages": [*without_tokens, *last]}},
        *(prompt("5"), answer("6", content="Well.", tokens=TOKENS)),
    )
    assert (row["messageCount"], row["tokenUsage"]["total"]) == (6, 36)
