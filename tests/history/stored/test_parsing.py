import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.history.stored.parsing import clean, elements, text_of, value_of
from sidecar.history.stored.salvage import repair, split
from sidecar.history.stores.task_folders.records import ui_parser

SCALARS = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
)
MEMBERS = {"ts": st.integers(0, 2**41), "text": st.text(max_size=20)}
MESSAGES = st.lists(st.fixed_dictionaries(MEMBERS, optional={"x": VALUES}), max_size=6)


def encoded(messages: list[Any]) -> bytes:
    return json.dumps(messages, ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.slow
@given(MESSAGES, st.data())
@settings(max_examples=60)
def test_a_cut_anywhere_keeps_the_leading_messages(messages: list[Any], data: st.DataObject) -> None:
    whole = encoded(messages)
    cut = data.draw(st.integers(1, len(whole)))
    parsed = ui_parser.parse(whole[:cut], "ui_messages.json")
    complete = sum(1 for n in range(len(messages)) if len(encoded(messages[: n + 1])) - 1 <= cut)
    assert [record.ts for record in parsed.records] == [message["ts"] for message in messages[:complete]]
    assert bool(parsed.problems) == (cut < len(whole))


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_no_bytes_make_the_parser_raise(data: bytes) -> None:
    ui_parser.parse(data, "f")
    ui_parser.parse(b"[" + data, "f")


@given(st.lists(VALUES, max_size=6))
@settings(max_examples=60)
def test_splitting_gives_each_element_as_it_was(values: list[Any]) -> None:
    found = split(encoded(values))
    assert found is not None and found.closed
    assert [json.loads(part) for part in found.parts] == values


@pytest.mark.parametrize("tail", [b"]", b" x", b"[1]", b"\n{}"])
def test_a_stray_tail_is_reported_and_ignored(tail: bytes) -> None:
    parsed = ui_parser.parse(b'[{"ts":1}]' + tail, "f")
    assert [record.ts for record in parsed.records] == [1]
    assert [problem.code for problem in parsed.problems] == ["strayTail"]


def test_elements_that_are_not_objects_are_counted_and_skipped() -> None:
    parsed = ui_parser.parse(b'[1,{"ts":2},null]', "f")
    assert ([record.ts for record in parsed.records], parsed.total) == ([2], 3)
    assert parsed.problems[0].message == "f: 2 of 3 messages are unreadable"


def test_messages_inside_an_object_are_found() -> None:
    problems: list[Any] = []
    assert elements(b' {"version": 2, "messages": [{}, {}]} ', "f", problems) == [b"{}", b"{}"]
    assert [problem.code for problem in problems] == ["wrapped"]


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    parsed = ui_parser.parse(b'[{"text":"a\\ud83d b"}]', "f")
    assert text_of(parsed.records[0].text) == "a\ufffd b"
    assert parsed.problems == []


def test_a_pair_of_surrogates_stays_a_character() -> None:
    parsed = ui_parser.parse(b'[{"text":"\\ud83d\\ude80"},{"x":"\\ud83d"}]', "f")
    assert text_of(parsed.records[0].text) == "🚀"


def test_numbers_no_type_can_hold_are_left_out() -> None:
    parsed = ui_parser.parse(b'[{"ts":1e400},{"ts":NaN},{"ts":' + b"9" * 5000 + b"}]", "f")
    assert [record.ts for record in parsed.records] == [None, None, None]


def test_endless_nesting_does_not_recurse() -> None:
    parsed = ui_parser.parse(b'[{"ts":1},{"x":' + b"[" * 200_000, "f")
    assert [record.ts for record in parsed.records] == [1]


def test_repairing_gives_up_on_what_is_not_json() -> None:
    assert repair('{"a":}') is None
    assert value_of(b"") is None
    assert value_of("{") is None


@pytest.mark.parametrize("at", [0, 65_534, 65_535, 65_536, 65_537, 131_071, 199_999])
@pytest.mark.parametrize("around", ["a", "é", "日", "🚀"])
def test_the_first_bad_byte_of_a_long_file_is_named(around: str, at: int) -> None:
    good = (around * 200_000).encode()
    start = len(good[:at].decode("utf-8", "ignore").encode())
    data, problems = clean(good[:start] + b"\xff" + good[start:], "ui_messages.json")
    assert [it.message.rsplit(" ", 1)[1] for it in problems] == [str(start)]
    assert data.decode() == good[:start].decode() + "\ufffd" + good[start:].decode()


@pytest.mark.parametrize("end", [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x9a", b"\xed\xa0\x80"])
def test_a_file_that_ends_within_a_character_is_not_utf8(end: bytes) -> None:
    assert [it.code for it in clean(b"a" * 65_534 + end, "x")[1]] == ["badUtf8"]


def test_what_is_not_a_message_between_messages_is_ignored_and_counted() -> None:
    parsed = ui_parser.parse(b'[{"ts":1},[],"a",3,null,[{"ts":9}],{"ts":2}]', "ui_messages.json")
    assert [it.ts for it in parsed.records] == [1, 2]
    assert parsed.total == 7
    assert [it.message for it in parsed.problems] == ["ui_messages.json: 5 of 7 messages are unreadable"]


def test_of_very_many_broken_messages_the_good_ones_among_their_like_are_kept() -> None:
    good = b'{"ts":1},' * 100
    parsed = ui_parser.parse(b"[" + good + b'{"a" 1},' * 20_000 + good + b"{}]", "ui_messages.json")
    assert parsed.total == 20_201
    assert sum(it.ts == 1 for it in parsed.records) >= 100


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["[", "]", "{", "}", ",", '"', "\\", "a", " ", '{"a":{"b":[1,{}]}}', "[[1]]"]))
)
def test_a_damaged_array_is_split_at_its_own_commas(pieces: list[str]) -> None:
    data = "[" + "".join(pieces)
    found = split(data.encode())
    assert found is not None
    assert [part.decode() for part in found.parts] == split_by_hand(data)


DEEP_PIECES = st.sampled_from(['{"a":', "}", '["[[",', "]", ",", '"x\\""', '[{"a":1}],', "}]", " ", '"'])


@settings(max_examples=200)
@given(st.lists(st.tuples(DEEP_PIECES, st.sampled_from([1, 2, 70, 300])), max_size=12))
def test_a_deep_array_is_split_at_its_own_commas(runs: list[tuple[str, int]]) -> None:
    data = "[" + '{"a":[' * 100 + "".join(piece * times for piece, times in runs)
    found = split(data.encode())
    assert found is not None
    assert [part.decode() for part in found.parts] == split_by_hand(data)


def split_by_hand(data: str) -> list[str]:
    """Return the elements of an array, found character by character."""
    parts, depth, quoted, escaped = [""], 0, False, False
    for character in data:
        if quoted:
            quoted, escaped = escaped or character != '"', not escaped and character == "\\"
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
            if depth == 0:
                break
        elif character == "," and depth == 1:
            parts.append("")
            continue
        parts[-1] += character
    return [part.strip() for part in ("".join(parts[:1])[1:], *parts[1:]) if part.strip()]
