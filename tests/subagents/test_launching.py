"""The handle by which a launch and its run are told to stop."""

import logging

import pytest

from sidecar.subagents.launching import Abort


def test_handlers_are_called_once_with_the_first_reason() -> None:
    abort, calls = Abort(), list[str]()
    abort.on_abort(lambda: calls.append("one"))
    abort.abort("timeout")
    abort.abort("cancelled")
    assert (abort.aborted, abort.reason, calls) == (True, "timeout", ["one"])


def test_a_handler_taken_out_is_not_called() -> None:
    abort, calls = Abort(), list[str]()
    unsubscribe = abort.on_abort(lambda: calls.append("one"))
    unsubscribe()
    unsubscribe()
    abort.abort()
    assert calls == []


def test_a_late_handler_is_called_at_once() -> None:
    abort, calls = Abort(), list[str]()
    abort.abort()
    abort.on_abort(lambda: calls.append("late"))()
    assert calls == ["late"]


def test_a_raising_handler_is_logged_and_the_others_are_called(caplog: pytest.LogCaptureFixture) -> None:
    abort, calls = Abort(), list[str]()

    def fail() -> None:
        raise RuntimeError("deaf")

    abort.on_abort(fail)
    abort.on_abort(lambda: calls.append("two"))
    with caplog.at_level(logging.ERROR):
        abort.abort()
    assert calls == ["two"]
    assert "deaf" in caplog.text
