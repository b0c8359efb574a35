"""The handle by which a launch and its run are stopped."""

import logging

import pytest

from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import cancelled, failed

TIMEOUT = failed("timeout", "out of time")
TURNS = failed("maxTurns", "out of turns")
CANCELLED = cancelled("model")


def test_handlers_are_called_once_with_the_first_outcome() -> None:
    abort, calls = Abort(), list[str]()
    abort.on_abort(lambda: calls.append("one"))
    abort.abort(TIMEOUT)
    abort.abort(CANCELLED)
    assert (abort.aborted, abort.outcome, calls) == (True, TIMEOUT, ["one"])


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


def test_a_limit_aborts_at_once_where_no_last_turn_is_possible() -> None:
    abort = Abort()
    abort.reach_limit(TIMEOUT)
    assert abort.outcome == TIMEOUT


def test_the_first_limit_counts_and_a_cancel_does_not_wait_for_it() -> None:
    abort, calls = Abort(), list[str]()

    def last_turn() -> bool:
        calls.append("up")
        return True

    abort.on_soft_limit = last_turn
    abort.reach_limit(TIMEOUT)
    abort.reach_limit(TURNS)
    assert (abort.aborted, calls) == (False, ["up"])
    abort.abort(CANCELLED)
    abort.end_at_limit()
    assert abort.outcome == CANCELLED


def test_a_limit_ends_the_run_when_its_last_turn_is_over() -> None:
    abort = Abort()
    abort.end_at_limit()
    assert not abort.aborted
    abort.on_soft_limit = lambda: True
    abort.reach_limit(TIMEOUT)
    abort.end_at_limit()
    assert abort.outcome == TIMEOUT
