import json
import math
from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.errors import EncodingError, RpcError
from sidecar.rpc.transport.encoding import encode_error, encode_json, encode_result


class Row(msgspec.Struct, rename="camel", omit_defaults=True):
    row_id: Any
    parent: "Row | None" = None


def test_structs_are_written_anywhere_in_plain_values() -> None:
    value = {"items": [Row(1, Row(2))], "one": Row("x")}
    assert json.loads(encode_json(value)) == {
        "items": [{"rowId": 1, "parent": {"rowId": 2}}],
        "one": {"rowId": "x"},
    }


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b", "\ud83d plus 😀"])
def test_lone_surrogates_are_escaped(text: str) -> None:
    assert json.loads(encode_json({"plain": text, "rows": [Row(text)]})) == {
        "plain": text,
        "rows": [{"rowId": text}],
    }


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 2**200])
def test_integers_beyond_64_bits_keep_their_digits(number: int) -> None:
    assert json.loads(encode_json([number, Row(number)])) == [number, {"rowId": number}]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_json_does_not_have_become_null_on_both_ways(number: float) -> None:
    assert json.loads(encode_json([number, Row(number)])) == [None, {"rowId": None}]
    assert json.loads(encode_json(["\ud83d", number, Row(number)])) == ["\ud83d", None, {"rowId": None}]


def circular() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize("value", [{1}, object(), circular(), {("a", 1): 2}, b"bytes"])
def test_what_has_no_json_form_is_an_encoding_error(value: Any) -> None:
    with pytest.raises(EncodingError):
        encode_result(1, value)


def test_error_data_without_a_json_form_does_not_lose_the_error() -> None:
    error = json.loads(encode_error(2**80, RpcError(-1, "\ud83d", {1})))
    assert (error["id"], error["error"]["code"], error["error"]["message"]) == (2**80, -1, "\ud83d")
    assert "set" in error["error"]["data"]["omitted"]


def test_error_data_is_left_out_when_there_is_none() -> None:
    assert json.loads(encode_error(None, RpcError(-1, "x"))) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -1, "message": "x"},
    }


def test_twenty_thousand_rows_take_milliseconds() -> None:
    rows = [Row(f"row {number} " * 20) for number in range(20_000)]
    started = process_time()
    encode_result(1, {"items": rows})
    assert process_time() - started < 0.5


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=60)
@given(plain_values)
def test_every_json_value_survives(value: Any) -> None:
    assert json.loads(encode_json(value)) == value
