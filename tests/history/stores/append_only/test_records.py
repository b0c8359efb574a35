"""Lines become records whatever is between them, and damage is counted."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.stored.complexity import MAX_VALUES
from sidecar.history.stores.append_only import records
from sidecar.history.stores.append_only.records import Damage, LineDecoder


class Inner(msgspec.Struct):
    text: str = ""
    tokens: int = 0


class Record(msgspec.Struct):
    type: str = ""
    inner: Inner | None = None


DECODER = LineDecoder(Record)


def decode(data: bytes) -> tuple[list[Record], list[str]]:
    damage = Damage()
    found = DECODER.decode(data, damage)
    return found, [each.code for each in damage.problems("session.jsonl")]


def test_sound_lines_have_no_problems() -> None:
    assert decode(b'{"type":"a","more":[1]}\r\n\n{"type":"b"}\n') == ([Record("a"), Record("b")], [])


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 5_000, "1" * 400 + ".5"])
def test_a_number_that_no_decoder_takes_costs_only_itself(number: str) -> None:
    elsewhere = f'{{"type":"a","more":[{{"n":{number}}}],"inner":{{"text":3,"tokens":2}}}}\n'
    inside = f'{{"type":"b","inner":{{"text":"x","tokens":{number}}}}}\n'
    assert decode((elsewhere + inside).encode())[0] == [
        Record("a", Inner(tokens=2)),
        Record("b", Inner(text="x")),
    ]


def test_a_broken_line_is_skipped_and_counted() -> None:
    assert decode(b'{"type":"a"}\n{"type":"b\n[1]\n{"type":"c"}\n') == (
        [Record("a"), Record("c")],
        ["malformed"],
    )


def test_a_line_with_too_many_values_is_named_wherever_it_is_in_a_block() -> None:
    small, large = b'{"type":"a"}\n', b'{"type":"b","more":[' + b"[]," * MAX_VALUES + b"[]]}"
    for block in (large, large + b"\n", small + large + b"\n" + small, small * 70_000 + large + b"\n"):
        assert decode(block)[1] == ["tooLarge"]
    assert decode(small * 100_000)[1] == []
    damage = Damage()
    DECODER.decode(large + b"\n" + small + large, damage)
    assert "2 lines have" in damage.problems("session.jsonl")[0].message


def test_members_of_an_unexpected_type_are_left_out() -> None:
    line = b'{"type":7,"inner":{"text":null,"tokens":5}}\n{"type":"b","inner":"no"}\n'
    assert decode(line) == ([Record("", Inner("", 5)), Record("b")], [])


def test_half_a_character_is_replaced() -> None:
    found, codes = decode(b'{"type":"a\\ud83d"}\n{"type":7,"inner":{"text":"\\ude00","tokens":5}}\n')
    assert (found, codes) == ([Record("a\ufffd"), Record("", Inner("\ufffd", 5))], [])


class Raw(msgspec.Struct):
    count: int = 0
    content: msgspec.Raw = msgspec.Raw()


def test_a_member_that_is_decoded_later_is_kept_next_to_one_of_an_unexpected_type() -> None:
    (record,) = LineDecoder(Raw).decode(b'{"count":"many","content":[1]}\n', Damage())
    assert bytes(record.content) == b"[1]"


def test_zero_bytes_and_a_byte_order_mark_are_removed() -> None:
    data = b'\xef\xbb\xbf{"type":"a"}\n\0\0\0\0{"type":"b"}\n\0\0\n'
    assert decode(data) == ([Record("a"), Record("b")], ["padding", "byteOrderMark"])


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    found, codes = decode(b'{"type":"a\xff"}\n{"type":"b","more":"\xc3"}\n')
    assert (found, codes) == ([Record("a\ufffd"), Record("b")], ["badUtf8"])


def test_a_long_line_is_not_repaired_but_halves_of_characters_are_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "MAX_REPAIRED", 10)
    found, codes = decode(b'{"type":"a\xff"}\n{"type":"b\\ud83d"}\n{"type":7,"inner":{}}\n')
    assert (found, codes) == ([Record("b\ufffd")], ["badUtf8", "malformed"])


def test_endless_broken_lines_are_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BROKEN", 3)
    damage = Damage()
    assert [len(DECODER.decode(b'no\n{"type":"a"}\n', damage)) for _ in range(5)] == [1, 1, 1, 0, 0]
    assert damage.broken == 3 + 2 * 2
    assert DECODER.decode(b'{"type":"a"}\n', damage) == [Record("a")]


def test_nothing_is_repaired_after_endless_broken_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BROKEN", 2)
    repairable = b'{"type":"a\xff"}\n'
    found = DECODER.decode(repairable + b"{\n{\n" + repairable + b'{"type":"b"}\n', Damage())
    assert found == [Record("a\ufffd"), Record("b")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "inner", "text", "tokens", "x.y", "`"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5))
def test_any_json_objects_become_records(values: list[Any]) -> None:
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    found, codes = decode(data)
    assert len(found) == sum(isinstance(value, dict) for value in values)
    assert ("malformed" in codes) == any(not isinstance(value, dict) for value in values)


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_any_bytes_can_be_read(parts: list[bytes]) -> None:
    sound = b'{"type":"sound"}'
    found, _ = decode(b"\n".join((sound, *parts, sound)) + b"\n")
    assert found.count(Record("sound")) >= 2
