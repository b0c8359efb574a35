import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.errors import RpcError
from sidecar.rpc.messages import Notification, Rejected, Request, Response, parse_message


def parse(message: Any) -> Any:
    return parse_message(message if isinstance(message, bytes) else json.dumps(message).encode())


def refusal(message: Any) -> tuple[Any, int]:
    rejected = parse(message)
    assert isinstance(rejected, Rejected)
    return rejected.id, rejected.error.code


def test_missing_and_null_params_are_an_empty_object() -> None:
    assert parse({"jsonrpc": "2.0", "id": 1, "method": "m"}) == Request(1, "m", {})
    assert parse({"jsonrpc": "2.0", "method": "m", "params": None}) == Notification("m", {})


def test_params_pass_untouched_whatever_their_keys_are() -> None:
    params = {"jsonrpc": "1.0", "4f2c-uuid": {"type_name": "x", "jsonrpc": "2.0", "id": 7, "method": "n"}}
    assert parse({"jsonrpc": "2.0", "id": "a", "method": "m", "params": params}) == Request("a", "m", params)


@pytest.mark.parametrize("message_id", [0, -1, "", "é", 2**53 + 1, 2**64, 10**40, -(2**63) - 1])
def test_ids_come_back_exactly(message_id: Any) -> None:
    assert parse({"jsonrpc": "2.0", "id": message_id, "method": "m"}).id == message_id


@pytest.mark.parametrize("message_id", [None, True, 1.5, 1.0, 1e300, [], {}])
def test_an_id_that_is_not_a_string_or_integer_is_refused_with_null(message_id: Any) -> None:
    assert refusal({"jsonrpc": "2.0", "id": message_id, "method": "m"}) == (None, -32600)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"{'a': 1}", b'{"a": NaN}', b'"\\u12"', b"[" * 100_000, b'\xef\xbb\xbf{"a":1}'],
)
def test_what_is_not_json_is_a_parse_error_with_null(body: bytes) -> None:
    assert refusal(body) == (None, -32700)


@pytest.mark.parametrize("message", [[], [{"jsonrpc": "2.0", "id": 1, "method": "m"}], 1, "x", None, {}])
def test_batches_and_scalars_are_refused_once_with_null(message: Any) -> None:
    assert refusal(message) == (None, -32600)


@pytest.mark.parametrize("version", [None, "1.0", 2.0, "2"])
def test_another_version_is_refused_with_the_id(version: Any) -> None:
    assert refusal({"jsonrpc": version, "id": 5, "method": "m"}) == (5, -32600)
    assert refusal({"id": "five", "method": "m"}) == ("five", -32600)
    assert refusal({"method": "m"}) == (None, -32600)


def test_a_method_must_be_a_string() -> None:
    assert refusal({"jsonrpc": "2.0", "id": 5, "method": 7}) == (5, -32600)
    assert refusal({"jsonrpc": "2.0", "id": 5}) == (5, -32600)


def test_lone_surrogates_are_read_as_javascript_writes_them() -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"filter": "\\ud83d"}}'
    assert parse(body) == Request(1, "m", {"filter": "\ud83d"})


def test_answers_carry_a_result_or_the_error_of_the_peer() -> None:
    assert parse({"jsonrpc": "2.0", "id": 1, "result": None}) == Response(1, None, None)
    error = parse({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no", "data": 3}}).error
    assert isinstance(error, RpcError)
    assert (error.code, error.message, error.data) == (-1, "no", 3)


def test_a_malformed_error_is_still_an_error() -> None:
    assert parse({"jsonrpc": "2.0", "id": 1, "error": "broken"}).error.code == -32600


def test_a_faulty_answer_is_refused_without_the_id_it_took_from_us() -> None:
    assert refusal({"id": 1, "result": 1}) == (None, -32600)
    assert refusal({"jsonrpc": "2.0", "id": 1.5, "result": 1}) == (None, -32600)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=7), inner, max_size=4),
    max_leaves=8,
)
members = dict.fromkeys(("jsonrpc", "id", "method", "params", "result", "error"), json_values)


@settings(max_examples=80)
@given(st.fixed_dictionaries({}, optional=members) | json_values)
def test_any_json_is_classified_and_none_raises(message: Any) -> None:
    assert isinstance(parse(message), Request | Notification | Response | Rejected)


@settings(max_examples=50)
@given(st.binary(max_size=40))
def test_any_bytes_are_classified_and_none_raises(body: bytes) -> None:
    assert isinstance(parse(body), Rejected)
