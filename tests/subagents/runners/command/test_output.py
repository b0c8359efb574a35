import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.fold import RunFold, variables
from sidecar.subagents.runners.command import output as command_output
from sidecar.subagents.runners.command.events import parse_event
from sidecar.subagents.runners.command.output import EventsOutput, TextOutput
from sidecar.subagents.runners.output.stderr import StderrLog

Event = dict[str, Any]


def run(parser: Any, chunks: Iterable[bytes]) -> list[Event]:
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return merged(events + list(parser.finish()))


def merged(events: list[Event]) -> list[Event]:
    """Join the pieces of each message, so that only the text remains."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else {}
        if event["type"] == last.get("type") == "message" and event["messageId"] == last["messageId"]:
            last["text"] += event["text"]
        else:
            joined.append(dict(event))
    return joined


def numbered(kind: type[EventsOutput] | type[TextOutput]) -> EventsOutput | TextOutput:
    ids = itertools.count(1)
    return kind(lambda: f"m{next(ids)}")


def parsed(*lines: str) -> tuple[list[Event], EventsOutput]:
    parser = EventsOutput()
    events = run(parser, ["".join(f"{line}\n" for line in lines).encode()])
    return [{key: item for key, item in event.items() if key != "messageId"} for event in events], parser


LINES = st.sampled_from(
    [
        "plain",
        "",
        "ünï",
        "{not json",
        '  {"type":"message","text":"é"}',
        '{"type":"message","text":"a\\nb"}\r',
        '{"type":"result","text":"r"}',
        '{"type":"emit","name":"n","value":{"x":null}}',
        '{"type":"usage","cost":0.5}',
        '{"type":"other","text":"t"}',
    ]
).map(str.encode) | st.binary(max_size=8)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(LINES, max_size=8),
    st.lists(st.integers(0, 200), max_size=12),
    st.sampled_from([EventsOutput, TextOutput]),
)
def test_any_split_of_the_stream_gives_the_same_events(
    lines: list[bytes], cuts: list[int], kind: Any
) -> None:
    data = b"\n".join(lines)
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    whole, cut = numbered(kind), numbered(kind)
    assert run(whole, [data]) == run(cut, [data[a:b] for a, b in itertools.pairwise(edges)])
    assert whole.final_message() == cut.final_message()
    assert whole.emitted_vars == cut.emitted_vars


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=40))
def test_text_equals_the_output_decoded_as_a_whole(data: bytes) -> None:
    events = run(TextOutput(), [data[i : i + 1] for i in range(len(data))])
    assert "".join(event["text"] for event in events) == data.decode("utf-8", "replace")


def test_event_lines_end_a_message() -> None:
    events, _ = parsed(
        "a", "b", '{"type":"usage","inputTokens":3}', "c", '{"type":"message","text":"d"}', "e"
    )
    assert [event.get("text", event["type"]) for event in events] == ["a\nb\n", "usage", "c\n", "d", "e\n"]


def test_pieces_of_one_message_share_its_id_and_messages_do_not() -> None:
    parser = EventsOutput()
    first = [*parser.feed(b"a\n"), *parser.feed(b"b\n")]
    second = list(parser.feed(b'{"type":"message","text":"c"}\n'))
    assert first[0]["messageId"] == first[1]["messageId"] != second[0]["messageId"]


def test_plain_lines_of_one_read_are_emitted_together_and_at_once() -> None:
    assert [event["text"] for event in EventsOutput().feed(b"a\nb\nhalf")] == ["a\nb\nhalf"]


@pytest.mark.parametrize(
    ("lines", "final"),
    [
        (["first", '{"type":"result","text":"r\\n"}', "later"], "r"),
        (["first", '{"type":"usage","cost":1}', "last"], "last"),
        (['{"type":"message","text":"done"}', "", ""], "done"),
        (['{"type":"usage","cost":1}'], None),
        (["two", "lines", ""], "two\nlines\n"),
    ],
)
def test_the_final_message_is_the_last_result_or_else_the_last_message(
    lines: list[str], final: str | None
) -> None:
    assert parsed(*lines)[1].final_message() == final


def test_an_incomplete_message_is_final_when_the_output_ends() -> None:
    parser = EventsOutput()
    list(parser.feed(b"so far"))
    assert parser.final_message() == "so far"


def test_a_variable_emitted_again_is_replaced() -> None:
    _, parser = parsed('{"type":"emit","name":"n","value":1}', '{"type":"emit","name":"n","value":[2]}')
    assert parser.emitted_vars == {"n": [2]}


def test_variables_beyond_the_limit_are_streamed_but_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "EMITTED_BYTES", 1_000)
    small = '{"type":"emit","name":"n","value":1}'
    big, bigger = (json.dumps({"type": "emit", "name": name, "value": "x" * 1_000}) for name in ("big", "b2"))
    events, parser = parsed(small, big, bigger)
    assert [event["type"] for event in events] == ["emit", "log", "emit", "emit"]
    assert parser.emitted_vars == {"n": 1}
    assert "'big'" in events[1]["text"]
    assert list(parser.left_out) == ["big", "b2"]
    fold = RunFold(0)
    for event in events:
        fold.take(event)
    assert fold.partial().emitted_vars == parser.emitted_vars


def test_a_line_beyond_the_limit_is_streamed_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_output, "EVENT_LINE_BYTES", 60)
    fits = json.dumps({"type": "result", "text": "x" * 28})
    too_long = json.dumps({"type": "result", "text": "x" * 50})
    assert len(fits) <= 60
    events = run(EventsOutput(), [too_long.encode()[:70], too_long.encode()[70:] + b"\n", fits.encode()])
    assert [(event["type"], event["text"]) for event in events] == [
        ("message", too_long + "\n"),
        ("result", "x" * 28),
    ]


def test_text_is_emitted_in_bounded_pieces_of_whole_characters() -> None:
    events = list(TextOutput().feed("€".encode() * 100_000))
    assert all(len(event["text"].encode()) <= 64 * 1024 for event in events)
    assert "".join(event["text"] for event in events) == "€" * 100_000


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"message"}',
        '{"type":"message","text":5}',
        '{"type":"tool","name":"t","status":"running"}',
        '{"type":"tool","name":"","status":"started"}',
        '{"type":"tool","name":"t","status":"started","toolCallId":1}',
        '{"type":"tool","name":"t","status":["started"]}',
        '{"type":"emit","name":"n"}',
        '{"type":"emit","name":1,"value":2}',
        '{"type":"usage"}',
        '{"type":"usage","inputTokens":-1}',
        '{"type":"usage","inputTokens":true}',
        '{"type":"usage","cost":"1"}',
        '{"type":"usage","cost":NaN}',
        f'{{"type":"usage","cost":1{"0" * 400}}}',
        f'{{"type":"usage","inputTokens":1{"0" * 400}}}',
        '{"type":["message"],"text":"x"}',
        '{"type":"state","status":"completed"}',
        '["type"]',
        '"type"',
        '{"type":"message","text":"x"} and more',
        '{"type":' + "[" * 100_000,
        '{"type":"emit","name":"n","value":' + "[" * 300 + "]" * 300 + "}",
        '{"type":"tool","name":"n","status":"started","input":' + "[" * 1_000 + "]" * 1_000 + "}",
    ],
)
def test_a_line_that_only_resembles_an_event_is_text(line: str) -> None:
    assert parse_event(line.encode()) is None
    assert parsed(line)[0] == [{"type": "message", "text": line + "\n"}]


def test_members_that_the_sidecar_assigns_are_dropped() -> None:
    line = b'{"type":"tool","name":"t","status":"started","seq":9,"ts":1,"toolCallId":"c","title":"T"}'
    assert parse_event(line) == {
        "type": "tool",
        "name": "t",
        "status": "started",
        "toolCallId": "c",
        "title": "T",
    }
    assert parse_event(b'{"type":"message","text":"x","seq":1,"messageId":"y"}') == {
        "type": "message",
        "text": "x",
    }
    assert parse_event(b'{"type":"usage","inputTokens":1,"cost":null}') == {"type": "usage", "inputTokens": 1}


@pytest.mark.parametrize(
    ("line", "text"),
    [(rb'{"type":"result","text":"a\ud83d"}', "a\ufffd"), (b'{"type":"result","text":"a\xff"}', "a\ufffd")],
)
def test_half_characters_in_an_event_are_replaced(line: bytes, text: str) -> None:
    assert parse_event(line) == {"type": "result", "text": text}


def test_stderr_keeps_its_last_text_without_trailing_blanks() -> None:
    log = StderrLog()
    events = [*log.feed(b"a" * 3000 + b"\xe2"), *log.feed(b"\x82\xac \n"), *log.finish()]
    assert "".join(event["text"] for event in events) == "a" * 3000 + "€ \n"
    assert log.tail() == "a" * 1999 + "€"
