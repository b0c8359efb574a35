"""What agents report about themselves: repeated requests, system errors, notices."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp.updates.notices import Notices, notice_in

Json = dict[str, Any]


def info(**meta: Any) -> Json:
    return {"sessionUpdate": "session_info_update", "_meta": meta}


def codex_error(text: str, status: int | None = None, *, will_retry: bool = True) -> Json:
    reason = {"responseStreamConnectionFailed": {"httpStatusCode": status}}
    return info(codex={"error": {"message": text, "codexErrorInfo": reason, "willRetry": will_retry}})


@pytest.mark.parametrize("status", ["systemError", {"type": "systemError"}])
def test_a_system_error_of_codex_is_a_failure_with_its_last_error(status: Any) -> None:
    notices = Notices()
    (event,) = notices.update(codex_error("Reconnecting... 2/5", 429))
    assert event["retrying"] == {"attempt": 2, "status": 429, "text": "Reconnecting... 2/5"}
    assert notices.failure(None) is None
    assert list(notices.update(info(codex={"threadStatus": status}))) == []
    failure = notices.failure("the last words")
    assert failure is not None
    assert (failure.kind, failure.text) == ("rateLimit", "Reconnecting... 2/5")


def test_without_an_error_the_last_words_name_the_reason() -> None:
    notices = Notices()
    list(notices.update(info(codex={"threadStatus": {"type": "systemError"}})))
    failure = notices.failure("exceeded retry limit, last status: 500 Internal Server Error")
    assert failure is not None
    assert (failure.kind, failure.status) == ("overloaded", 500)


def test_a_thread_that_recovers_has_not_failed() -> None:
    notices = Notices()
    for word in ("systemError", "idle"):
        list(notices.update(info(codex={"threadStatus": {"type": word}})))
    assert notices.failure(None) is None


def test_a_new_turn_has_not_failed() -> None:
    notices = Notices()
    list(notices.update(info(codex={"threadStatus": "systemError"})))
    notices.begin_turn()
    assert notices.failure(None) is None


def test_claudes_repeated_requests_are_reported_with_their_status() -> None:
    message = {
        "subtype": "api_retry",
        "attempt": 3,
        "max_retries": 10,
        "error_status": 529,
        "error": "overloaded",
    }
    (event,) = Notices().claude_message(message)
    text = "Retrying, attempt 3 of 10: overloaded"
    assert event["retrying"] == {"attempt": 3, "status": 529, "text": text}
    assert (event["type"], event["stream"], event["text"]) == ("log", "agent", f"{text}\n")
    assert list(Notices().claude_message({"subtype": "init"})) == []


def test_claudes_lost_connection_has_no_status_and_is_the_networks() -> None:
    notices = Notices()
    message = {
        "subtype": "api_retry",
        "attempt": 1,
        "max_retries": 9,
        "error_status": None,
        "error": "unknown",
    }
    (event,) = notices.claude_message(message)
    assert "status" not in event["retrying"]
    assert notices.error is not None
    assert notices.error.kind == "network"


def test_the_built_in_agents_repeated_requests_are_reported() -> None:
    retrying = {"attempt": 1, "status": 429, "text": "waiting 2 s"}
    (event,) = Notices().update(info(sidecar={"retrying": retrying}))
    assert event["retrying"] == retrying


@pytest.mark.parametrize(
    "reported",
    [
        {"sidecar": {"retrying": {"text": "waiting", "status": 429, "retryAfterSeconds": 7}}},
        {"codex": {"error": {"message": "too many requests; try again in 7s", "willRetry": True}}},
    ],
)
def test_the_wait_that_a_server_asks_for_is_reported(reported: Json) -> None:
    notices = Notices()
    (event,) = notices.update(info(**reported))
    assert event["retrying"]["retryAfterSeconds"] == 7
    assert notices.error is not None
    assert notices.error.retry_after_seconds == 7


@pytest.mark.parametrize(
    ("line", "retrying"),
    [
        (
            "[WARN] Attempt 4 failed with status 503. Retrying with backoff... _ApiError",
            {
                "attempt": 4,
                "status": 503,
                "text": "Attempt 4 failed with status 503. Retrying with backoff... _ApiError",
            },
        ),
        (
            'level=ERROR message="stream error" error.error="AI_APICallError: too many requests"',
            {"attempt": 1, "text": "AI_APICallError: too many requests"},
        ),
    ],
)
def test_repeated_requests_are_recognized_in_stderr(line: str, retrying: Json) -> None:
    event = {"type": "log", "stream": "stderr", "text": f"{line}\n    at somewhere\n"}
    assert Notices().stderr(event) == {**event, "retrying": retrying}


def test_other_lines_of_stderr_stay_as_they_are() -> None:
    event = {"type": "log", "stream": "stderr", "text": "Attempting to read the error log\n"}
    assert Notices().stderr(event) == event


def test_unknown_updates_are_logged_and_known_ones_without_words_are_not() -> None:
    (notice,) = Notices().update({"sessionUpdate": "notice", "message": "your plan ends soon"})
    (odd,) = Notices().update({"sessionUpdate": "x", "n": 1})
    assert [event["text"] for event in (notice, odd)] == [
        "notice: your plan ends soon\n",
        'x: {"n":1}\n',
    ]
    assert list(Notices().update({"sessionUpdate": "current_mode_update"})) == []


@pytest.mark.parametrize(
    ("meta", "notice"),
    [
        ({"claudeCode": {"kind": "informational"}}, "noted"),
        ({"source": "vision_bridge_notice"}, "noted"),
        ({"stopHookLoop": {"reasons": ["a", "b"]}}, "a stop hook lets the agent continue: b"),
        ({"stopHookLoop": {"reasons": 5}}, "a stop hook lets the agent continue"),
        ({"claudeCode": {"toolName": "Bash"}}, None),
        ({"source": "slash_command"}, None),
        ("informational", None),
    ],
)
def test_a_notice_in_a_message_chunk_is_recognized(meta: Any, notice: str | None) -> None:
    assert notice_in({"content": {"type": "text", "text": "noted"}, "_meta": meta}) == notice


def test_a_limit_of_the_plan_is_reported_when_its_state_changes() -> None:
    notices = Notices()

    def reported(status: Any) -> list[str]:
        meta = {"_claude/rateLimit": {"status": status, "rateLimitType": "five_hour"}}
        return [event["text"] for event in notices.usage({"sessionUpdate": "usage_update", "_meta": meta})]

    assert [reported(each) for each in ("allowed", "allowed_warning", "allowed_warning", 5)] == [
        [],
        ["the limit five_hour is near\n"],
        [],
        [],
    ]
    assert reported("rejected") == ["the limit five_hour is reached\n"]
    assert list(notices.usage({"sessionUpdate": "usage_update", "used": 5})) == []


scalars = st.none() | st.booleans() | st.integers(-1, 600) | st.text(max_size=6)
meta = st.recursive(
    scalars,
    lambda inner: st.dictionaries(
        st.sampled_from(
            ["codex", "sidecar", "error", "threadStatus", "retrying", "message", "type", "attempt"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)


@given(st.lists(st.tuples(st.sampled_from(["session_info_update", "notice"]), meta), max_size=4))
def test_no_report_breaks_anything(updates: list[tuple[str, Any]]) -> None:
    notices = Notices()
    for kind, given_meta in updates:
        for event in notices.update({"sessionUpdate": kind, "_meta": given_meta}):
            assert event["type"] == "log"
            if "retrying" in event:
                assert isinstance(event["retrying"]["attempt"], int)
    notices.failure(None)


def test_a_notice_is_logged_with_its_description() -> None:
    notice = {
        "sessionUpdate": "notice",
        "severity": "warning",
        "title": "Old settings",
        "description": "Drop x.",
    }
    (event,) = Notices().update(notice)
    assert event["text"] == "notice: Old settings: Drop x.\n"
