import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.javascript import json_text as javascript_json
from sidecar.javascript.json_text import MAX_STRINGIFY_DEPTH, parse, stringified_texts, stringify
from sidecar.javascript.values import JavaScriptThrow

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def nested(levels: int, inside: str) -> bytes:
    return ("[" * levels + inside + "]" * levels).encode()


def peel(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = value[0]
    return value


@settings(max_examples=100, deadline=None)
@given(values)
def test_what_json_prints_is_read_the_same_at_any_depth(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    if "Infinity" not in text:
        assert parse(json.dumps(value).encode()) == value
        assert peel(parse(nested(1200, json.dumps(value, indent=1))), 1200) == value


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='[]{}",:1etru\\ufalsn -.\n', max_size=12))
def test_a_deep_file_is_refused_where_a_shallow_one_is(text: str) -> None:
    def accepted(data: bytes) -> bool:
        try:
            parse(data)
        except JavaScriptThrow:
            return False
        return True

    assert accepted(nested(1200, text)) == accepted(nested(3, text))


def test_lone_surrogates_infinities_and_bad_bytes_are_taken() -> None:
    assert parse(b'["\\ud83d", "\xff"]') == ["\ud83d", "\ufffd"]
    assert parse(b"[1e400, -1e400]") == [math.inf, -math.inf]
    assert parse(b'["\xff", ' + b"9" * 5000 + b"]") == ["\ufffd", math.inf]


@pytest.mark.parametrize(
    "data", [b"NaN", b"[Infinity]", b"\xef\xbb\xbf[]", b"[01]", b"[1,]", b"", b"'a'", b'["\\ud83d",NaN]']
)
def test_what_json_parse_refuses_is_refused(data: bytes) -> None:
    with pytest.raises(JavaScriptThrow):
        parse(data)


def test_nesting_is_read_as_deep_as_javascript_prints_it() -> None:
    assert parse(nested(MAX_STRINGIFY_DEPTH, "1"))
    with pytest.raises(JavaScriptThrow):
        parse(nested(MAX_STRINGIFY_DEPTH + 3, "1"))


def test_every_reader_has_the_same_limit_of_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(javascript_json, "MAX_STRINGIFY_DEPTH", 20)
    assert parse(nested(20, '["\\ud83d"]'))
    for inside in ('[["\\ud83d"]]', '{"a":{"\\ud83d":[]}}'):
        with pytest.raises(JavaScriptThrow):
            parse(nested(20, inside))


def test_texts_are_printed_with_escapes_for_controls_and_lone_surrogates() -> None:
    printed = set(stringified_texts([{"ke\ny": ["\ud83d😀", "\x1f\x7f/"]}, 5]))
    assert printed == {'"ke\\ny"', '"\\ud83d😀"', '"\\u001f\x7f/"'}


def test_half_a_character_is_printed_as_its_escape_whatever_the_depth() -> None:
    deep: object = "\udc00"
    for _ in range(3_000):
        deep = [deep]
    assert b'"\\ud83d\xc3\xa9"' in stringify({"text": "\ud83dé"})
    assert b"\\udc00" in stringify(deep)
