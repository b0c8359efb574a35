"""Text as JavaScript prints it, compared with a real one."""

import json
import math
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.javascript.printing import (
    MAX_DEPTH,
    TOO_DEEP,
    js_number,
    js_string,
    json_stringify,
    utf16_cut,
    utf16_length,
)

VALUES: list[Any] = [
    *[
        0,
        -0.0,
        1.0,
        1.5,
        -2.25,
        1e21,
        1e20,
        123456789012345680000,
        1e-6,
        1e-7,
        5e-324,
        1.7976931348623157e308,
    ],
    *[9007199254740993, 2**64, 0.1 + 0.2, 1 / 3, 100.0, 12345.678, 1e300, 4.35, 1.0e-10, 123e-20],
    *["", "é😀", "\ud83d", "a\udc00b", '"\\/\b\f\n\r\t\x00\x1f\x7f\u2028', "</script>"],
    *[None, True, False, [], {}, [[]], [{}], {"a": []}, [1, [2, [3, None]], None, {"x": 1}]],
    {"b": 1, "2": 2, "10": 3, "1": 4, "01": 5, "-1": 6, "4294967294": 7, "4294967295": 8, "": 9},
    {"emitted": {"list": [1.0, "two", None], "empty": {}, "none": None}},
]
SCRIPT = """
const values = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const cut = (v) => String(v).substring(0, 3);
console.log(JSON.stringify(values.map((v) =>
  [JSON.stringify(v, null, 2), JSON.stringify(v), String(v), String(v).length, cut(v)])));
"""


def ask_node(values: list[Any]) -> list[Any]:
    done = subprocess.run(
        ["node", "-e", SCRIPT],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


def ask_us(value: Any) -> list[Any]:
    text = js_string(value)
    return [json_stringify(value), json_stringify(value, 0), text, utf16_length(text), utf16_cut(text, 3)]


def normal(value: Any) -> str:
    return json.dumps(value)


def test_everything_is_printed_as_node_prints_it() -> None:
    for value, theirs in zip(VALUES, ask_node(VALUES), strict=True):
        assert normal(ask_us(value)) == normal(theirs), repr(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=2, deadline=None)
@given(st.lists(json_values, min_size=100, max_size=100))
def test_random_values_are_printed_as_node_prints_them(values: list[Any]) -> None:
    ours = [normal(ask_us(value)) for value in values]
    assert ours == [normal(theirs) for theirs in ask_node(values)]


def test_values_without_json_are_null_and_unknown_types_are_strings() -> None:
    assert json_stringify([math.nan, math.inf, -math.inf], 0) == "[null,null,null]"
    assert json_stringify({"at": complex(1, 2)}, 0) == '{"at":"(1+2j)"}'
    assert [js_number(math.nan), js_number(-math.inf), js_number(10**400)] == ["NaN", "-Infinity", "Infinity"]


def test_keys_that_are_not_strings_are_printed_as_strings() -> None:
    assert json_stringify({True: 1, 3: 2, None: 4}, 0) == '{"3":2,"true":1,"null":4}'


def test_two_halves_next_to_each_other_are_one_character() -> None:
    assert json_stringify("\ud83d" + "\ude00") == '"😀"'
    assert json_stringify("\ude00\ud83d") == '"\\ude00\\ud83d"'


def test_a_cut_through_a_pair_leaves_its_half() -> None:
    assert utf16_cut("a😀b", 2) == "a\ud83d"
    assert utf16_cut("a😀b", 3) == "a😀"
    assert utf16_cut("abc", 0) == ""


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"k": inner}])
def test_depth_is_bounded_and_reported(wrap: Any) -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH + 50):
        value = wrap(value)
    assert TOO_DEEP in json_stringify(value, 0)


def test_a_list_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert TOO_DEEP in json_stringify(loop, 0)
    assert js_string(loop) == TOO_DEEP
