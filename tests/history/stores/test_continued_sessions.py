"""Sessions that agents forked or opened again: each answer counts once, in the session that wrote it.

The records have the form in which the agents themselves wrote them.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from tests.history.conftest import NOW

Json = dict[str, Any]
FIRST, FORK = "01a22615-247c-7291-92c2-d3f0c472606b", "01a22615-3ae6-7442-8cdb-50f08673452a"
TURN = "01a22615-3ca2-7fb1-bbcf-7d412e40f3ab"


def time(second: int) -> str:
    return f"2026-04-15T10:00:{second:02}.000Z"


def written(path: Path, lines: Sequence[Json]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def rows(root: Path) -> dict[str, TaskInfo]:
    return {row.id: row for row in TaskHistory([root], now=lambda: NOW).list()}


def counted(row: TaskInfo) -> tuple[float | None, ...]:
    usage = row.token_usage
    assert usage is not None
    return row.message_count, usage.input, usage.output, usage.cache_reads


def gemini_line(name: str, second: int, text: str, tokens: int = 0) -> Json:
    line: Json = {"id": name, "timestamp": time(second), "type": "user", "content": [{"text": text}]}
    used = {"input": tokens, "output": 1, "cached": 0, "thoughts": 0, "tool": 0, "total": tokens + 1}
    return {**line, "type": "gemini", "content": text, "tokens": used} if tokens else line


def reopened(second: int, repeated: Sequence[Json]) -> list[Json]:
    """Return what `gemini --resume` writes first: its context, then what it repeats without tokens."""
    head = {"sessionId": "s", "projectHash": "p", "startTime": time(second), "kind": "main"}
    context = gemini_line("context", second, "<session_context>\n</session_context>")
    known = [{**each, "timestamp": time(second), "content": [{"text": "repeated"}]} for each in repeated]
    for each in known:
        each.pop("tokens", None)
    return [
        head,
        {"$set": {"messages": [context]}},
        {"$set": {"sessionId": "s"}},
        {"$set": {"messages": [context, *known]}},
    ]


def test_a_chat_that_gemini_opened_again_keeps_the_tokens_of_its_answers(tmp_path: Path) -> None:
    first = [gemini_line("a", 1, "one"), gemini_line("b", 2, "First.", 1_000)]
    second = [gemini_line("c", 11, "two"), gemini_line("d", 12, "Second.", 2_000)]
    third = [gemini_line("e", 21, "three"), gemini_line("f", 22, "Third.", 4_000)]
    lines = [*reopened(0, [])[:2], *first, *reopened(10, first), *second]
    lines += [*reopened(20, [*first, *second]), *third]
    written(tmp_path / "root" / "tmp" / "w" / "chats" / "session-2026-04-15T10-00-s.jsonl", lines)
    history = TaskHistory([tmp_path / "root"], now=lambda: NOW)
    (row,) = history.list()
    assert counted(row) == (6, 7_000, 3, 0)
    shown = [each.text for each in history.messages(row.id).messages if each.kind == "text"]
    assert shown[-6:] == ["one", "First.", "two", "Second.", "three", "Third."]


def test_a_chat_that_gemini_opened_again_keeps_an_answer_that_only_called_a_tool(tmp_path: Path) -> None:
    prompt, silent = (
        gemini_line("a", 1, "Read it."),
        {**gemini_line("b", 2, "", 1), "tokens": {"input": 1_000}},
    )
    call = {"id": "read__1", "name": "read_file", "args": {}, "status": "success", "result": []}
    calls: Json = {"id": "c", "timestamp": time(3), "type": "gemini", "content": "", "toolCalls": [call]}
    done, last = gemini_line("d", 4, "Done.", 2_000), gemini_line("f", 12, "Second.", 4_000)
    head = {"sessionId": "s", "projectHash": "p", "startTime": time(0), "kind": "main"}
    again: list[Json] = [{"$set": {"sessionId": "s"}}, {"$set": {"messages": [prompt, calls, done]}}]
    lines = [head, prompt, silent, calls, done, *again, gemini_line("e", 11, "And then?"), last]
    written(tmp_path / "root" / "tmp" / "w" / "chats" / "session-2026-04-15T10-00-s.jsonl", lines)
    (row,) = rows(tmp_path / "root").values()
    assert counted(row) == (5, 7_000, 2, 0)
    rewound = [
        *lines,
        {"$rewindTo": "a"},
        gemini_line("g", 20, "Another."),
        gemini_line("h", 21, "Yes.", 8_000),
    ]
    written(tmp_path / "root" / "tmp" / "w" / "chats" / "session-2026-04-15T10-00-s.jsonl", rewound)
    (row,) = rows(tmp_path / "root").values()
    assert counted(row) == (2, 8_000, 1, 0)


def qwen_line(name: str, second: int, text: str, session: str, tokens: int = 0) -> Json:
    used = {"promptTokenCount": tokens, "candidatesTokenCount": 1, "totalTokenCount": tokens + 1}
    return {
        "uuid": name,
        "sessionId": session,
        "timestamp": time(second),
        "type": "assistant" if tokens else "user",
        "message": {"role": "model" if tokens else "user", "parts": [{"text": text}]},
        **({"usageMetadata": used} if tokens else {}),
    }


def test_a_fork_by_qwen_counts_only_its_own_records(tmp_path: Path) -> None:
    chats = tmp_path / "root" / "projects" / "-w" / "chats"
    first = [qwen_line("a", 1, "one", FIRST), qwen_line("b", 2, "First.", FIRST, 1_000)]
    copied = [
        {**each, "sessionId": FORK, "forkedFrom": {"sessionId": FIRST, "messageUuid": each["uuid"]}}
        for each in first
    ]
    own = [qwen_line("c", 11, "two", FORK), qwen_line("d", 12, "Second.", FORK, 2_000)]
    written(chats / f"{FIRST}.jsonl", first)
    written(chats / f"{FORK}.jsonl", [*copied, *own])
    found = rows(tmp_path / "root")
    assert counted(found[FIRST]) == (2, 1_000, 1, 0)
    assert counted(found[FORK]) == (2, 2_000, 1, 0)
    assert (found[FORK].parent_id, found[FORK].title) == (None, "one")
    assert (found[FORK].created_at or 0) > (found[FIRST].last_activity or 0) > 0


def codex_line(second: int, kind: str, **payload: Any) -> Json:
    return {"timestamp": time(second), "type": kind, "payload": payload}


def codex_turn(second: int, last: int, total: int, answers: int) -> list[Json]:
    """Return a turn whose answer took `last` tokens of input, a tenth of it cached, and 1 of output."""
    sums = {"input_tokens": total, "cached_input_tokens": total // 10, "output_tokens": answers}
    one = {"input_tokens": last, "cached_input_tokens": last // 10, "output_tokens": 1}
    info = {"total_token_usage": sums, "last_token_usage": one}
    return [
        codex_line(second, "event_msg", type="task_started", turn_id=TURN),
        codex_line(second, "turn_context", turn_id=TURN, cwd="/w", model="m"),
        codex_line(second, "event_msg", type="user_message", message="And then?"),
        codex_line(second, "event_msg", type="agent_message", message="Done."),
        codex_line(second, "event_msg", type="token_count", info=info),
        codex_line(second, "event_msg", type="task_complete", turn_id=TURN, last_agent_message="Done."),
    ]


def test_a_fork_by_codex_that_copies_nothing_counts_only_its_own_tokens(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "sessions" / "2026" / "04" / "15"
    first = codex_line(0, "session_meta", id=FIRST, timestamp=time(0), cwd="/w")
    fork = codex_line(10, "session_meta", id=FORK, timestamp=time(10), cwd="/w", forked_from_id=FIRST)
    written(folder / f"rollout-2026-04-15T10-00-00-{FIRST}.jsonl", [first, *codex_turn(1, 1_000, 1_000, 1)])
    own = [*codex_turn(11, 2_000, 3_000, 2), *codex_turn(12, 4_000, 7_000, 3)]
    written(folder / f"rollout-2026-04-15T10-00-10-{FORK}.jsonl", [fork, *own])
    found = rows(tmp_path / "root")
    assert counted(found[FIRST]) == (2, 900, 1, 100)
    assert counted(found[FORK]) == (4, 5_400, 2, 600)


def test_a_fork_by_codex_that_compacts_first_does_not_count_the_last_answer_again(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "sessions" / "2026" / "04" / "15"
    first = codex_turn(1, 1_000, 1_000, 1)
    repeated = next(line for line in first if line["payload"].get("type") == "token_count")
    fork = codex_line(10, "session_meta", id=FORK, timestamp=time(10), cwd="/w", forked_from_id=FIRST)
    begun, *turn = codex_turn(11, 2_000, 7_000, 3)
    summary = codex_turn(11, 4_000, 5_000, 2)[-2]
    cleared = {"total_token_usage": summary["payload"]["info"]["total_token_usage"], "last_token_usage": {}}
    compacted = codex_line(11, "event_msg", type="token_count", info=cleared)
    written(
        folder / f"rollout-2026-04-15T10-00-10-{FORK}.jsonl",
        [fork, begun, repeated, summary, compacted, *turn],
    )
    assert counted(rows(tmp_path / "root")[FORK]) == (2, 5_400, 2, 600)


def test_what_codex_wrote_to_a_cache_is_not_input(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "sessions" / "2026" / "04" / "15"
    turn = codex_turn(1, 1_000, 1_000, 1)
    turn[-2]["payload"]["info"]["total_token_usage"]["cache_write_input_tokens"] = 300
    first = codex_line(0, "session_meta", id=FIRST, timestamp=time(0), cwd="/w")
    written(folder / f"rollout-2026-04-15T10-00-00-{FIRST}.jsonl", [first, *turn])
    row = rows(tmp_path / "root")[FIRST]
    assert counted(row) == (2, 600, 1, 100)
    assert row.token_usage is not None and row.token_usage.cache_writes == 300


def test_a_result_that_gemini_records_twice_is_shown_once(tmp_path: Path) -> None:
    call = {"id": "read__1", "name": "read_file", "args": {"file_path": "/w/a"}, "status": "success"}
    answer = {**gemini_line("b", 2, "", 10), "toolCalls": [{**call, "resultDisplay": "one\n"}]}
    parts = [
        {"functionResponse": {"id": name, "name": "read_file", "response": {"output": "one\n"}}}
        for name in ("read__1", "read__2")
    ]
    lines = [
        {"sessionId": "s", "projectHash": "p", "startTime": time(0), "kind": "main"},
        gemini_line("x", 0, "<session_context>\n</session_context>"),
        gemini_line("a", 1, "Read it."),
        answer,
        {**gemini_line("c", 3, ""), "content": parts},
        gemini_line("d", 4, "Done.", 20),
    ]
    written(tmp_path / "root" / "tmp" / "w" / "chats" / "session-2026-04-15T10-00-s.jsonl", lines)
    history = TaskHistory([tmp_path / "root"], now=lambda: NOW)
    (row,) = history.list()
    shown = [(each.role, each.kind) for each in history.messages(row.id).messages]
    assert shown == [
        ("system", "notice"),
        ("user", "text"),
        ("assistant", "tool"),
        ("user", "tool_result"),
        ("user", "tool_result"),
        ("assistant", "text"),
    ]
