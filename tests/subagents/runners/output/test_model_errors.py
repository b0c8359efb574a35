"""Errors of agents and servers are classified by kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.output.model_errors import error_kind, model_error, status_in, status_of


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", "rateLimit", 429),
        ("API Error: 529 overloaded", "overloaded", 529),
        ("unexpected status 500 Internal Server Error: oops", "overloaded", 500),
        ("We're currently experiencing high demand, which may cause temporary errors.", "overloaded", None),
        ("Internal error: invalid api key", "auth", None),
        ("401 invalid api key", "auth", 401),
        ('{"type":"error","error":{"code":401,"message":"no"}}', "auth", 401),
        ("You exceeded your current quota", "rateLimit", None),
        ("stream disconnected before completion: stream closed before response.completed", "network", None),
        ("read ECONNRESET", "network", None),
        ("Internal error: JSON parsing failed: Text: {broken.", "network", None),
        ("This model's maximum context length is 8192 tokens", "contextLength", None),
        ("400 prompt is too long: 210000 tokens > 200000 maximum", "contextLength", 400),
        ("The model `gpt-9` does not exist or you do not have access to it", "modelNotFound", None),
        ("404 page not found", "other", 404),
        ("AI_APICallError: too many requests", "rateLimit", None),
    ],
)
def test_errors_of_real_agents_are_classified(text: str, kind: str, status: int | None) -> None:
    found = model_error(text)
    assert found is not None
    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize("text", ["", "the titles are 500 characters long", "file 404.html is missing"])
def test_errors_about_other_things_are_not_failures_of_the_model(text: str) -> None:
    assert model_error(text) is None


def test_a_kind_named_by_the_agent_is_used() -> None:
    found = model_error("too many requests", {"errorKind": "contextLength", "status": 400})
    assert found is not None
    assert (found.kind, found.status) == ("contextLength", 400)
    assert found.text == "too many requests (HTTP 400)"


def test_a_status_code_is_found_in_data_and_in_the_error_code() -> None:
    info = {"codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": 503}}}
    assert status_of(info) == 503
    by_code = model_error("please wait", None, 429)
    assert by_code is not None
    assert (by_code.kind, by_code.text) == ("rateLimit", "please wait (HTTP 429)")


def test_a_parser_error_is_a_broken_stream_and_not_a_server_error() -> None:
    found = model_error("Expected property name or '}' in JSON at position 1", None, 500)
    assert found is not None
    assert (found.kind, found.status) == ("network", None)


def test_a_longer_word_is_not_taken_for_a_quota() -> None:
    assert error_kind("Internal error (No closing quotation)") is None
    assert error_kind("insufficient_quota") == "rateLimit"


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["status", "error", "errorKind", "statusCode"]), inner, max_size=3)
    ),
    max_leaves=9,
)


@given(st.text(), nested, st.none() | st.integers())
def test_any_error_keeps_its_text(text: str, data: object, code: int | None) -> None:
    found = model_error(text, data, code)
    if found is not None:
        assert found.text.startswith(text)
        assert found.status is None or str(found.status) in found.text


@given(st.integers(400, 599), st.text(alphabet="ab 1\n", max_size=9))
def test_a_status_is_found_after_its_name_anywhere(status: int, before: str) -> None:
    text = f"{before} status code: {status}, sorry"
    assert status_in(text) == status
    assert error_kind(text) is not None
