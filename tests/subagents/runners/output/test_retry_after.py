"""How long a server asks to wait, wherever its agent says so."""

from typing import Any

import pytest

from sidecar.subagents.runners.output.retry_after import MAX_SECONDS, retry_after

NOW = 1_767_225_600.0  # Thu, 01 Jan 2026 00:00:00 GMT


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("429 Too Many Requests, Retry-After: 30", 30),
        ('{"retry_after": 2.5}', 2.5),
        ("retry-after=1m", 60),
        ("retry after Thu, 01 Jan 2026 00:02:00 GMT", 120),
        ("Retry-After: Wed, 31 Dec 2025 00:00:00 GMT", 0),
        ("Rate limit reached for gpt-5. Please try again in 1.5s. See the docs.", 1.5),
        ("Please try again in 6m0s", 360),
        ("You've hit your usage limit. Try again in 2 hours 5 minutes.", 7_500),
        ("Please retry in 250ms", 0.25),
        ("Your quota will reset after 1h2m3s.", 3_723),
        ("wait for 1 day, 3 hours and 4 minutes", MAX_SECONDS),
        ("Claude AI usage limit reached|1767225900", 300),
        ("Retry-After: 2026-01-01T00:01:00Z", None),
        ("too many requests", None),
        ("try again in a moment", None),
        ("try again in 5 more", None),
        ("we retry in main.py:3", None),
        ("", None),
    ],
)
def test_the_wait_is_read_from_words(text: str, seconds: float | None) -> None:
    assert retry_after(text, None, NOW) == seconds


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        ({"retryAfterSeconds": 12}, 12),
        ({"error": {"headers": {"retry-after": "7"}}}, 7),
        ({"error": {"headers": {"Retry-After-Ms": "1500"}}}, 1.5),
        ({"details": {"retryDelay": "34.5s"}}, 34.5),
        ({"headers": {"retry-after": "Thu, 01 Jan 2026 00:00:09 GMT"}}, 9),
        ({"retryAfter": True}, None),
        ({"retryAfter": -3}, None),
        ({"retryAfter": float("nan")}, None),
        ({"retryAfter": "soon"}, None),
        ({"retryAfter": "Thu, 01 Jan 99999999999999999999 00:00:00 GMT"}, None),
        ({"retryAfter": "Thu, 01 Jan 2026 00:00:00 +99999999999999999999"}, None),
        ({"retryAfter": 10**400}, MAX_SECONDS),
        ({"a": {"b": {"c": {"d": {"retryAfter": 3}}}}}, None),
        ("retryAfter", None),
        (None, None),
    ],
)
def test_the_wait_is_read_from_data(data: Any, seconds: float | None) -> None:
    assert retry_after("", data, NOW) == seconds


def test_data_is_more_exact_than_words() -> None:
    assert retry_after("try again in 1 minute", {"retryAfter": 55}, NOW) == 55
