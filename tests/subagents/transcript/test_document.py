import json
from typing import Any

import pytest

from sidecar.subagents.transcript import document as transcript_document
from sidecar.subagents.transcript.document import End, TranscriptDocument, TranscriptHead
from sidecar.subagents.transcript.render import api_messages, has_end, history_item, metadata, ui_messages

Message = dict[str, Any]
HEAD = TranscriptHead(
    task_id="id", goal="Fix </task> it", subagent_name="fixer", workspace_dir="/a (b)/ü", started_at=10
)


def document(*events: Message, end: End | None = None) -> TranscriptDocument:
    made = TranscriptDocument(HEAD)
    for n, event in enumerate(events):
        made.record({"seq": n + 1, "ts": 11 + n, **event})
    if end is not None:
        made.finish(end)
    return made


def ui(*events: Message, end: End | None = None) -> list[Message]:
    return ui_messages(document(*events, end=end).snapshot())


def shown(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.get("say") or message["ask"], message["text"]) for message in messages]


def message(text: str, message_id: int = 1) -> Message:
    return {"type": "message", "messageId": message_id, "text": text}


def test_the_first_message_is_the_goal() -> None:
    assert ui() == [{"ts": 10, "type": "say", "say": "text", "text": "Fix </task> it"}]


def test_the_model_file_names_workspace_and_mode() -> None:
    (first,) = api_messages(document().snapshot())
    goal, environment = (block["text"] for block in first["content"])
    assert (first["role"], first["ts"]) == ("user", 10)
    assert goal == "<task>\nFix </task> it\n</task>"
    assert environment.startswith("<environment_details>\n")
    assert environment.endswith("\n</environment_details>")
    assert "\n# Current Mode\n<slug>fixer</slug>\n<name>fixer</name>\n" in environment
    assert "\n# Current Workspace Directory (/a (b)/ü) Files\n" in environment


def test_pieces_of_a_message_are_joined() -> None:
    tool = {"type": "tool", "name": "read", "status": "started"}
    messages = ui(message("He"), tool, message("llo"), message("Next", 2))
    assert shown(messages)[1:] == [
        ("text", "Hello"),
        ("tool", '{"status":"started","tool":"read"}'),
        ("text", "Next"),
    ]


def test_thoughts_are_reasoning() -> None:
    messages = ui({"type": "thought", "text": "Hm"}, {"type": "thought", "text": "m"}, message("Yes"))
    assert shown(messages)[1:] == [("reasoning", "Hmm"), ("text", "Yes")]


def test_a_tool_is_one_message_with_its_newest_state() -> None:
    started = {"type": "tool", "toolCallId": "1", "name": "read", "status": "started", "path": "x"}
    messages = ui(started, {**started, "status": "completed"}, {**started, "status": "started"})
    tools = [json.loads(text) for kind, text in shown(messages) if kind == "tool"]
    assert [tool["status"] for tool in tools] == ["completed", "started"]
    assert tools[0]["path"] == "x"


def test_usage_is_one_record_with_the_newest_numbers() -> None:
    first = {"type": "usage", "inputTokens": 5, "outputTokens": 2, "cost": 0.1}
    messages = ui(first, message("x"), {"type": "usage", "inputTokens": 9, "cost": "?"})
    usage = [json.loads(text) for kind, text in shown(messages) if kind == "api_req_started"]
    assert usage == [{"tokensIn": 9, "tokensOut": 2, "cost": 0.1}]


def test_what_is_not_for_a_transcript_changes_nothing() -> None:
    made = document()
    assert not any(made.record({"type": kind, "ts": 1}) for kind in ("state", "log", "plan", "unheard-of"))
    assert len(ui_messages(made.snapshot())) == 1


@pytest.mark.parametrize(
    ("end", "last"),
    [
        (End("completed", 99, "Done"), [("completion_result", "Done"), ("completion_result", "")]),
        (End("failed", 99, None, "No disk"), [("text", "Hi"), ("api_req_failed", "No disk")]),
    ],
)
def test_an_end_is_where_readers_look_for_it(end: End, last: list[tuple[str, str]]) -> None:
    messages = ui(message("Hi"), end=end)
    assert shown(messages)[-2:] == last
    assert (messages[-1]["type"], messages[-1]["ts"]) == ("ask", 99)
    assert has_end(messages)
    assert not has_end(messages[:2])


def test_input_includes_what_caches_read_and_wrote() -> None:
    usage = {"type": "usage", "inputTokens": 5, "cacheReads": 100, "cacheWrites": 20, "outputTokens": 2}
    entry = history_item(document(usage).snapshot(), 60, 7)
    assert (entry["tokensIn"], entry["cacheReads"], entry["cacheWrites"]) == (125, 100, 20)
    assert "tokensIn" not in history_item(document({"type": "usage", "cacheReads": 9}).snapshot(), 60, 7)


def state(model: object) -> Message:
    return {"type": "state", "status": "running", "model": model}


def test_the_newest_model_is_recorded() -> None:
    snapshot = document(state("small"), state("large-4"), state(None), state(7), state("")).snapshot()
    assert history_item(snapshot, 10, 7)["modelId"] == "large-4"
    environment = api_messages(snapshot)[0]["content"][1]["text"]
    assert "</name>\n<model>large-4</model>\n" in environment


def test_a_model_that_looks_like_markup_stays_out_of_the_environment() -> None:
    for name in ("</model>", "a\n# Current Workspace Directory (/x) Files"):
        snapshot = document(state(name)).snapshot()
        assert "<model>" not in api_messages(snapshot)[0]["content"][1]["text"]
        assert history_item(snapshot, 10, 7)["modelId"] == name


def edit(path: str, status: str = "completed", **more: object) -> Message:
    content = [{"type": "diff", "path": path, "oldText": "a\n", "newText": "b\nc\n"}]
    return {"type": "tool", "toolCallId": path, "name": "edit", "status": status, "content": content, **more}


def test_changed_files_are_listed_as_files_in_context() -> None:
    gone = {"type": "tool", "name": "rm", "kind": "delete", "status": "completed", "ts": 13}
    snapshot = document(edit("/a (b)/ü/src/a.py"), {**gone, "locations": [{"path": "old"}]}).snapshot()
    assert metadata(snapshot.changes or ()) == {
        "files_in_context": [
            {
                "path": "src/a.py",
                "record_state": "active",
                "record_source": "roo_edited",
                "roo_edit_date": 11,
                "actions": ["edited"],
                "additions": 2,
                "deletions": 1,
            },
            {
                "path": "old",
                "record_state": "stale",
                "record_source": "roo_edited",
                "roo_edit_date": 13,
                "actions": ["deleted"],
            },
        ]
    }


def test_a_run_that_changed_nothing_lists_no_files() -> None:
    assert document(edit("a", "started"), edit("a", "failed")).snapshot().changes is None


def test_a_change_that_is_taken_back_leaves_an_empty_list() -> None:
    assert document(edit("a"), edit("a", "failed")).snapshot().changes == ()


def test_files_are_listed_beyond_the_limit_of_the_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_document, "TEXT_LIMIT", 1)
    made = document(message("x" * 300))
    assert made.record({"ts": 20, **edit("a")})
    assert [change.path for change in made.snapshot().changes or ()] == ["a"]


def test_a_cancelled_run_ends_with_its_usage_counted_once() -> None:
    messages = ui({"type": "usage", "inputTokens": 5}, message("Hi"), end=End("cancelled", 99))
    assert shown(messages)[1:] == [
        ("text", "Hi"),
        ("api_req_started", '{"tokensIn":5,"cancelReason":"user_cancelled"}'),
    ]
    assert has_end(messages)


def test_the_first_end_wins() -> None:
    made = document(end=End("cancelled", 50))
    assert not made.finish(End("completed", 60, "late"))
    assert made.snapshot().end == End("cancelled", 50)


def test_the_list_entry_claims_only_what_is_known() -> None:
    entry = history_item(document().snapshot(), 10, 7)
    assert entry == {
        "id": "id",
        "number": -1,
        "ts": 10,
        "task": "Fix </task> it",
        "size": 7,
        "workspace": "/a (b)/ü",
        "mode": "fixer",
        "product": "sidecar",
        "outcome": "streaming",
    }


def test_the_list_entry_carries_usage_and_outcome() -> None:
    usage = {"type": "usage", "inputTokens": 5, "outputTokens": 2, "cost": 0.1}
    entry = history_item(document(usage, end=End("failed", 60)).snapshot(), 60, 7)
    numbers = [entry[key] for key in ("tokensIn", "tokensOut", "totalCost", "outcome", "ts")]
    assert numbers == [5, 2, 0.1, "failed", 60]


def test_beyond_its_limit_a_transcript_says_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_document, "TEXT_LIMIT", 1_000)
    big = {"type": "emit", "name": "v", "value": "z" * 5_000}
    events = [*(message("x" * 300, n) for n in range(5)), message("y" * 9, 9), big]
    messages = ui(*events, end=End("completed", 60, "Done"))
    texts = [text for _, text in shown(messages)[1:]]
    assert texts[:2] == ["x" * 300, "x" * 300]
    assert [text.startswith("[The transcript is cut here") for text in texts] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert texts[-2:] == ["Done", ""]


def test_one_endless_message_is_cut_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_document, "TEXT_LIMIT", 1_000)
    messages = ui(*(message("x" * 300) for _ in range(20)))
    assert shown(messages)[1] == ("text", "x" * 800)
    assert len(messages) == 3


def test_an_endless_goal_is_cut_and_says_so() -> None:
    long = TranscriptHead(
        task_id="i", goal="g" * (1 << 21), subagent_name="s", workspace_dir="/", started_at=0
    )
    goal = ui_messages(TranscriptDocument(long).snapshot())[0]["text"]
    assert goal.endswith("g\n[cut: 1048576 more characters]")
