import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import StoredMessage, ToolMark
from sidecar.history.stores.task_folders.messages.message_text import MAX_RAW
from sidecar.history.stores.task_folders.messages.normalize import MAX_NAME, normalize


def say(word: str, text: Any = "hello", **more: Any) -> StoredMessage:
    return normalize("ui", 3, {"ts": 5, "type": "say", "say": word, "text": text, **more})


def ask(word: str, text: Any = "", **more: Any) -> StoredMessage:
    return normalize("ui", 3, {"ts": 5, "type": "ask", "ask": word, "text": text, **more})


def api(content: Any, role: str = "assistant", **more: Any) -> StoredMessage:
    return normalize("api", 2, {"role": role, "content": content, **more})


@pytest.mark.parametrize(
    ("word", "role", "kind"),
    [
        ("text", "assistant", "text"),
        ("task", "user", "text"),
        ("user_feedback", "user", "text"),
        ("reasoning", "assistant", "reasoning"),
        ("command_output", "system", "command_output"),
        ("completion_result", "assistant", "completion"),
        ("diff_error", "system", "error"),
        ("checkpoint_saved", "system", "checkpoint"),
        ("a_word_of_next_year", "system", "notice"),
    ],
)
def test_spoken_messages_have_a_role_and_a_kind(word: str, role: str, kind: str) -> None:
    assert say(word) == StoredMessage(index=3, ts=5, role=role, kind=kind, text="hello")


def test_the_first_text_of_a_task_is_the_users() -> None:
    first = normalize(
        "ui", 0, {"type": "say", "say": "text", "text": "do it", "images": ["data:,", "data:,"]}
    )
    assert (first.role, first.text) == ("user", "do it\n[image]\n[image]")


def test_an_ask_names_what_it_waits_for() -> None:
    assert (ask("command", "ls").kind, ask("command", "ls").role) == ("ask:command", "assistant")
    assert (ask("resume_task").kind, ask("resume_task").role, ask("resume_task").text) == (
        "ask:resume_task",
        "system",
        None,
    )


def test_a_question_shows_its_answers() -> None:
    text = json.dumps({"question": "Which?", "suggest": ["this", {"answer": "that", "mode": "code"}]})
    assert ask("followup", text).text == "Which?\n- this\n- that"


def test_a_tool_call_is_named_with_what_it_works_on() -> None:
    called = ask("tool", json.dumps({"tool": "readFile", "path": "a.py", "content": "body"}))
    assert (called.text, called.tool) == ("readFile a.py\nbody", ToolMark(name="readFile"))


def test_an_mcp_call_names_server_tool_and_arguments() -> None:
    text = json.dumps(
        {"type": "use_mcp_tool", "serverName": "db", "toolName": "query", "arguments": '{"q":1}'}
    )
    assert (ask("use_mcp_server", text).text, ask("use_mcp_server", text).tool) == (
        'db: query\n{"q":1}',
        ToolMark(name="query"),
    )


def test_a_request_shows_figures_and_not_the_prompt() -> None:
    figures = {
        "request": "long",
        "tokensIn": 10,
        "tokensOut": 2,
        "cost": 0.5,
        "cancelReason": "user_cancelled",
    }
    assert say("api_req_started", json.dumps(figures)).text == "10 in, 2 out, $0.50 (cancelled by the user)"
    assert say("api_req_started", "{}").text == "request"


def test_text_that_only_looks_like_json_is_shown_as_it_is() -> None:
    assert say("text", "{broken").text == "{broken"
    assert say("text", '{"a":1}').text == '{"a":1}'


def test_clines_flag_is_not_a_part_of_a_result() -> None:
    done = {"type": "say", "say": "completion_result", "text": "DoneHAS_CHANGES"}
    assert normalize("ui", 1, done, "cline").text == "Done"
    assert normalize("ui", 1, done, "roo").text == "DoneHAS_CHANGES"


def test_a_string_and_text_blocks_read_alike() -> None:
    assert api("hi") == api([{"type": "text", "text": "hi"}])
    assert (api("hi").role, api("hi").kind) == ("assistant", "text")


def test_a_tool_use_is_marked_with_name_and_id() -> None:
    used = api(
        [
            {"type": "text", "text": "I look"},
            {"type": "tool_use", "id": "t1", "name": "read", "input": {"p": 1}},
        ]
    )
    assert (used.kind, used.text, used.tool) == (
        "tool",
        'I look\nread {"p":1}',
        ToolMark(name="read", id="t1"),
    )


@pytest.mark.parametrize(("is_error", "status"), [(True, "error"), (False, "ok")])
def test_a_tool_result_is_marked_with_its_status(is_error: bool, status: str) -> None:
    content = [{"type": "text", "text": "out"}, {"type": "image", "source": {}}]
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error}
    result = api([block], "user")
    assert (result.kind, result.text, result.tool) == (
        "tool_result",
        "out\n[image]",
        ToolMark(id="t1", status=status),
    )


def test_thinking_is_reasoning_and_redacted_thinking_has_no_text() -> None:
    assert (
        api([{"type": "thinking", "thinking": "hm"}]).kind,
        api([{"type": "thinking", "thinking": "hm"}]).text,
    ) == (
        "reasoning",
        "hm",
    )
    assert api([{"type": "redacted_thinking", "data": "x"}]).text is None


def test_reasoning_in_a_messages_place_is_the_assistants() -> None:
    entry = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "so"}],
        "encrypted_content": "e",
        "ts": 9,
    }
    assert normalize("api", 4, entry) == StoredMessage(
        index=4, ts=9, role="assistant", kind="reasoning", text="so"
    )


def test_condensing_is_distinguished_from_speech() -> None:
    assert api("s", isSummary=True).kind == "summary"
    assert api("h", condenseParent="c1").kind == api("h", truncationParent="t").kind == "condensed"
    assert api("t", "user", isTruncationMarker=True).kind == "notice"


@pytest.mark.parametrize("ts", [True, "5", None, 0, -1, 8.65e15, float("nan"), float("inf"), 10**400])
def test_a_time_that_is_none_is_left_out(ts: object) -> None:
    assert normalize("ui", 0, {"ts": ts, "type": "say", "say": "text"}).ts is None


@pytest.mark.parametrize(
    "value", [None, 5, "text", [], {}, {"role": "robot"}, {"role": "user", "content": 5}]
)
def test_what_is_not_a_message_is_unknown_and_shown_as_json(value: object) -> None:
    found = normalize("api", 0, value)
    assert (found.role, found.kind, found.text) == (
        "unknown",
        "unknown",
        json.dumps(value, separators=(",", ":")),
    )


def test_what_is_not_understood_is_cut() -> None:
    assert len(normalize("ui", 0, ["x" * 9000]).text or "") == MAX_RAW
    assert len(say("x" * 9000).kind) < MAX_NAME and len(ask("x" * 9000).kind) == MAX_NAME + 4


def test_nesting_beyond_every_printer_is_reported() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert normalize("ui", 0, deep).text == "(a value that cannot be shown)"


odd = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=4))
names = st.sampled_from(
    [
        "ts",
        "type",
        "say",
        "ask",
        "text",
        "images",
        "role",
        "content",
        "summary",
        "name",
        "id",
        "input",
        "thinking",
    ]
)
words = ["say", "ask", "tool", "text", "user", "tool_use", "tool_result", "reasoning", "api_req_started"]
scalars = st.sampled_from([*words, '{"tool":5,"cost":1}', '{"question":[],"suggest":[1]}']) | odd
blocks = st.dictionaries(names, scalars, max_size=3)
objects = st.dictionaries(names, scalars | blocks | st.lists(blocks | odd, max_size=2), max_size=5)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["ui", "api"]), objects | odd)
def test_any_value_becomes_a_message_that_can_be_sent(kind: Any, value: object) -> None:
    found = normalize(kind, 7, value, "cline")
    assert found.index == 7 and found.role and found.kind
    orjson.dumps(
        [found.role, found.kind, found.text, found.tool and [found.tool.name, found.tool.id], found.ts]
    )
