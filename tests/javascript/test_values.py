import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.javascript import values as js
from sidecar.javascript.values import UNDEFINED, JavaScriptThrow


def test_trim_takes_what_javascript_calls_white_space() -> None:
    assert js.trim("\ufeff\u00a0\u2028 x\u0085\u001c \n") == "x\u0085\u001c"


def test_length_counts_utf_16_units() -> None:
    assert [js.utf16_length(text) for text in ("", "abc", "😀", "\ud83d", "é")] == [0, 3, 2, 1, 1]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20), st.integers(0, 45))
def test_a_prefix_has_the_requested_length(text: str, units: int) -> None:
    assert js.utf16_length(js.utf16_prefix(text, units)) == min(units, js.utf16_length(text))


def test_a_text_is_cut_only_beyond_the_limit() -> None:
    assert js.truncate("abcde", 5) == "abcde"
    assert js.truncate("abcdef", 5) == "ab..."


def test_lone_surrogates_are_written_as_replacement_characters() -> None:
    assert js.well_formed("a\ud83d😀") == "a\ufffd😀"


def test_half_an_emoji_is_found_in_the_whole_one() -> None:
    assert js.includes("x😀", "\ud83d") and js.includes("x😀", "\ude00") and not js.includes("x", "\ud83d")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (UNDEFINED, "undefined"),
        (True, "true"),
        (12.0, "12"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (10**400, "Infinity"),
        (9007199254740993, "9007199254740992"),
        ({}, "[object Object]"),
        ([1, [None, [2]], []], "1,,2,"),
    ],
)
def test_a_value_becomes_a_string(value: object, text: str) -> None:
    assert js.to_string(value) == text


def test_an_object_that_hides_its_to_string_cannot_become_a_string() -> None:
    with pytest.raises(JavaScriptThrow):
        js.to_string([{"toString": 1}])


def test_deep_arrays_become_strings_until_the_stack_of_v8_ends() -> None:
    deep: list[object] = ["x"]
    for _ in range(js.MAX_JOIN_DEPTH - 1):
        deep = [deep]
    assert js.to_string(deep) == "x"
    with pytest.raises(JavaScriptThrow):
        js.to_string([deep])


def test_join_leaves_missing_values_empty() -> None:
    assert js.join([UNDEFINED, "a", None, 1], " ") == " a  1"


@pytest.mark.parametrize("values", [(UNDEFINED, 5), ("x", 5), ({}, 5)])
def test_the_maximum_with_something_that_is_not_a_number_is_nan(values: tuple[object, ...]) -> None:
    assert math.isnan(js.maximum(*values))


def test_the_maximum_reads_null_booleans_and_texts_as_numbers() -> None:
    assert [js.maximum(None, -1), js.maximum(True, 0), js.maximum("7", 3), js.maximum([9], 3)] == [0, 1, 7, 9]


@pytest.mark.parametrize(("digits", "value"), [("1.2.3", 1.2), (".5", 0.5), ("5.", 5.0), ("1", 1.0)])
def test_parse_float_reads_the_number_at_the_start(digits: str, value: float) -> None:
    assert js.parse_float(digits) == value


def test_parse_float_of_dots_is_nan() -> None:
    assert math.isnan(js.parse_float("..5"))


def test_whole_doubles_are_spelled_as_ints_below_2_to_the_53() -> None:
    assert [type(js.number(value)) for value in (3.0, 0.5, 2.0**53, math.inf)] == [int, float, float, float]
