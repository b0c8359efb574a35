"""Updates as events: what any agent may send, in any order and any cut."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.journal import codec
from sidecar.subagents.runners.acp.lines import LINE_BYTES, DeepLine, MessageLines, OmittedLine
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.messages import joined
from sidecar.subagents.runners.acp.updates.question import known_options
from sidecar.subagents.runners.acp.updates.tools import VALUE_BYTES

Json = dict[str, Any]


def session() -> SessionEvents:
    ids = count(1)
    return SessionEvents(lambda: f"m{next(ids)}")


def chunk(text: str, kind: str = "message", **more: Any) -> Json:
    content = {"type": "text", "text": text}
    return {"sessionUpdate": f"agent_{kind}_chunk", "content": content, **more}


def tool(status: str | None = None, **more: Any) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": status, **more}


def taken(*updates: Json) -> list[Json]:
    events = session()
    return [event for update in updates for event in events.take(update)]


def ids(events: list[Json]) -> list[Any]:
    return [event.get("messageId") for event in events]


def test_chunks_of_a_message_share_an_id_and_thoughts_have_their_own() -> None:
    events = taken(chunk("a"), chunk("b"), chunk("hmm", "thought"), chunk("c"))
    assert [event["type"] for event in events] == ["message", "message", "thought", "message"]
    assert ids(events) == ["m1", "m1", "m2", "m3"]


def test_text_after_a_tool_call_is_another_message() -> None:
    assert ids(taken(chunk("a"), tool("pending"), chunk("b"))) == ["m1", None, "m3"]


def test_an_agent_that_names_its_messages_is_believed() -> None:
    events = taken(chunk("a", messageId="x"), tool("pending"), chunk("b", messageId="x"))
    assert ids(events) == ["m1", None, "m1"]


def test_empty_first_pieces_make_no_message() -> None:
    assert taken(chunk(""), chunk("", messageId="x")) == []


@pytest.mark.parametrize("kind", [{}, [], None, 7])
def test_an_update_whose_kind_is_not_text_is_only_logged(kind: Any) -> None:
    (event,) = taken({"sessionUpdate": kind, "content": {"type": "text", "text": "a"}})
    assert event["type"] == "log"


def test_content_that_is_not_text_is_named() -> None:
    (event,) = taken({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "AAAA"}})
    assert event["text"] == "[image]"


def test_the_final_message_is_the_last_that_says_anything() -> None:
    events = session()
    for update in (chunk("first"), tool("pending"), chunk("second"), tool("completed"), chunk(" \n")):
        list(events.take(update))
    assert events.final_message() == "second"


def test_a_tool_seen_first_at_its_end_began_as_well() -> None:
    events = taken(tool("completed", title="Read a"))
    assert [(event["name"], event["status"]) for event in events] == [
        ("Read a", "started"),
        ("Read a", "completed"),
    ]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ({"name": "Write", "_meta": {"toolName": "write_file"}}, "Write"),
        ({"_meta": {"toolName": "write_file"}}, "write_file"),
        ({"_meta": {"claudeCode": {"toolName": "Write"}}}, "Write"),
        ({"_meta": {"toolName": 5, "claudeCode": "Write"}}, "Writing a.txt"),
        ({"_meta": "Write"}, "Writing a.txt"),
    ],
)
def test_a_tool_has_the_name_that_its_agent_says_somewhere(call: Json, name: str) -> None:
    (event,) = taken(tool(title="Writing a.txt", **call))
    assert (event["name"], event["title"]) == (name, "Writing a.txt")


def test_a_tool_keeps_its_name_when_an_update_names_that_of_a_subagent() -> None:
    events = session()
    list(events.take(tool(_meta={"toolName": "agent"}, title="Look around")))
    list(events.take(tool(_meta={"toolName": "read_file"}, title="Reading")))
    asked = {"toolCall": {"toolCallId": "t"}, "options": []}
    assert events.question(asked).tool_name == "agent"


def test_later_updates_of_a_tool_say_only_what_is_new() -> None:
    place = [{"path": "/a", "line": 3}]
    events = taken(
        tool("pending", title="Edit", kind="edit"),
        tool("in_progress", title="Edit", locations=place),
        tool("in_progress", title="Edit", locations=place),
        tool("completed", rawOutput={"n": 1}),
    )
    assert [sorted(event.keys() - {"type", "toolCallId", "name", "status"}) for event in events] == [
        ["kind", "title"],
        ["locations"],
        ["output"],
    ]


def test_diffs_and_output_are_kept_and_bounded() -> None:
    diff = {"type": "diff", "path": "/a", "oldText": None, "newText": "x" * (VALUE_BYTES + 5)}
    text = {"type": "content", "content": {"type": "text", "text": "out"}}
    (event,) = taken(tool("pending", content=[diff, text, {"type": "terminal", "terminalId": "1"}, 7]))
    change, output = event["content"]
    assert output == {"type": "text", "text": "out"}
    assert "oldText" not in change
    assert change["newText"].endswith("[cut: 5 more characters]")


def test_cost_in_another_currency_is_not_taken_for_dollars() -> None:
    cost = {"amount": 3, "currency": "EUR"}
    (event,) = taken({"sessionUpdate": "usage_update", "used": 5, "size": 10, "cost": cost})
    assert event == {"type": "usage", "contextUsed": 5, "contextSize": 10, "inputTokens": 5}


def test_usage_is_reported_when_it_changes() -> None:
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    assert len(taken(update, update, {**update, "used": 6})) == 2


def test_what_a_session_cost_before_is_taken_off_unless_the_agent_does_not_count_it() -> None:
    events = session()
    events.usage.cost_before = 2.0
    reported = [
        event["cost"]
        for amount in (2.0, 2.5, 0.25, 0.5)
        for event in events.take(
            {"sessionUpdate": "usage_update", "cost": {"amount": amount, "currency": "USD"}}
        )
    ]
    assert reported == [0.0, 0.5, 0.25, 0.5]


def test_the_tokens_of_turns_add_up() -> None:
    events = session()
    turns = [{"inputTokens": 30, "outputTokens": 4}, {"inputTokens": 12, "outputTokens": 3}, {}]
    reported = [event for turn in turns for event in events.end_turn(turn)]
    assert reported == [
        {"type": "usage", "inputTokens": 30, "outputTokens": 4},
        {"type": "usage", "inputTokens": 42, "outputTokens": 7},
    ]


def test_a_question_includes_earlier_members_of_its_call() -> None:
    events = session()
    list(events.take(tool("pending", kind="execute", title="Run", rawInput={"command": ["ls", "-l"]})))
    question = events.question({"toolCall": {"toolCallId": "t", "title": "Run?"}, "options": []})
    assert (question.title, question.tool_kind) == ("Run?", "execute")
    assert (question.command, question.url) == ("ls -l", None)


def test_a_question_knows_the_address_that_would_be_fetched() -> None:
    call = {"toolCallId": "t", "kind": "fetch", "rawInput": {"url": "https://a.example", "command": []}}
    question = session().question({"toolCall": call, "options": []})
    assert (question.command, question.url) == (None, "https://a.example")


@pytest.mark.parametrize("options", [None, 5, [None, {"kind": "later"}, {"optionId": "x"}]])
def test_options_of_unknown_kinds_are_not_a_choice(options: Any) -> None:
    assert known_options(options) == []


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5)
parts = scalars | st.dictionaries(
    st.sampled_from(["type", "text", "path", "content", "amount", "x"]), scalars, max_size=3
)
json_values = parts | st.lists(parts, max_size=3)
_MEMBERS = ("content", "toolCallId", "status", "locations", "entries", "cost", "used", "messageId", "kind")
updates = st.fixed_dictionaries(
    {
        "sessionUpdate": st.sampled_from(
            ["agent_message_chunk", "tool_call", "tool_call_update", "plan", "usage_update", "x"]
        )
    },
    optional=dict.fromkeys(_MEMBERS, json_values),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(updates, max_size=6))
def test_no_update_breaks_the_fold(sent: list[Json]) -> None:
    events = session()
    for update in sent:
        for event in events.take(update):
            assert event["type"] in ("message", "thought", "tool", "plan", "usage", "log")
    events.final_message()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["message", "thought"]), st.text(min_size=1, max_size=9))))
def test_joining_chunks_keeps_all_text_in_order(chunks: list[tuple[str, str]]) -> None:
    events = taken(*(chunk(text, kind) for kind, text in chunks))
    together = list(joined(events))
    assert len(together) <= len(events)
    assert "".join(e["text"] for e in together) == "".join(text for _, text in chunks)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=20), max_size=8), st.integers(1, 7))
def test_lines_are_the_same_in_any_cut(lines: list[bytes], size: int) -> None:
    data = b"\n".join([*lines, b'{"id": 1}'])
    whole, cut = MessageLines(), MessageLines()
    at_once = [*whole.feed(data), *whole.finish()]
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    in_pieces = [value for piece in pieces for value in cut.feed(piece)] + list(cut.finish())
    assert in_pieces == at_once
    assert at_once[-1] == {"id": 1}


@pytest.mark.parametrize("depth", [1_100, 5_000, 100_000, 1_000_000])
def test_the_rest_of_a_message_that_is_nested_too_deep_is_known(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    line = rb'{"id": "a\"[{", "params": ' + nested + b', "method": "m}"}'
    (found,) = MessageLines().feed(line + b"\n")
    assert isinstance(found, DeepLine)
    assert found.head == {"id": 'a"[{', "params": None, "method": "m}"}
    assert len(found) < 2_100


@pytest.mark.parametrize("size", [65_536, 2_000_000])
def test_the_outer_members_of_a_message_that_is_too_large_are_known(size: int) -> None:
    line = (
        b'{"id": 7, "params": {"id": 8, "text": "' + b"x" * LINE_BYTES + b'"}, "method": "m"} \n{"id": 1}\n'
    )
    lines = MessageLines()
    pieces = [line[start : start + size] for start in range(0, len(line), size)]
    omitted, following = [found for piece in pieces for found in lines.feed(piece)]
    assert isinstance(omitted, OmittedLine)
    assert omitted.head == {"id": 7, "params": None, "method": "m"}
    assert f"send at most {LINE_BYTES:,}" in omitted.problem
    assert following == {"id": 1}


@pytest.mark.parametrize("line", [b"[" * 5_000, b'{"a": ' + b"[" * 5_000, b'{"a" ' + b"{}" * 5_000 + b"}"])
def test_a_line_with_many_brackets_is_text_unless_it_is_a_message(line: bytes) -> None:
    (found,) = MessageLines().feed(line + b"\n")
    assert isinstance(found, str)
    assert not isinstance(found, DeepLine)


@pytest.mark.parametrize("depth", [150, 300, 100_000])
def test_arguments_nested_however_deep_are_an_event_that_can_be_kept(depth: int) -> None:
    nested: Any = "x"
    for _ in range(depth):
        nested = [nested]
    (event,) = taken(tool("pending", kind="read", rawInput=nested))
    assert codec.decode(codec.encode(event))["input"] == event["input"]
    assert isinstance(event["input"], list if depth < 200 else str)


def test_a_tool_call_after_a_failure_and_a_refusal_is_an_event() -> None:
    events = session()
    call = {"toolCallId": "t", "title": "rm"}
    options = [{"optionId": "no", "name": "No", "kind": "reject_once"}]
    list(events.tool(call))
    events.refuse(events.question({"toolCall": call, "options": options}))
    failed = {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": "systemError"}}}
    list(events.take(failed))
    assert [event["type"] for event in events.take(tool("pending") | {"toolCallId": "other"})] == ["tool"]
    assert events.refused is None
