"""A clock that stands still while a person is asked."""

import asyncio
from collections.abc import Callable

import pytest

from sidecar.subagents.limits.timers import RunClock


class Handle:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """An event loop's clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[tuple[float, Handle]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, function: Callable[[], object]) -> Handle:
        self.timers.append((delay, Handle()))
        return self.timers[-1][1]


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    loop = Loop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return loop


def test_a_clock_goes_on_with_what_was_left(loop: Loop) -> None:
    clock = RunClock(10, lambda: None)
    clock.resume()
    loop.now += 4
    clock.pause()
    loop.now += 1_000
    clock.resume()
    assert [delay for delay, _ in loop.timers] == [10, 6]
    assert [handle.cancelled for _, handle in loop.timers] == [True, False]


def test_pausing_and_going_on_may_be_repeated(loop: Loop) -> None:
    clock = RunClock(10, lambda: None)
    clock.pause()
    clock.resume()
    clock.resume()
    loop.now += 4
    clock.pause()
    clock.pause()
    clock.resume()
    assert [delay for delay, _ in loop.timers] == [10, 6]


def test_a_stopped_clock_stays_stopped(loop: Loop) -> None:
    clock = RunClock(10, lambda: None)
    clock.resume()
    clock.stop()
    clock.resume()
    assert [handle.cancelled for _, handle in loop.timers] == [True]


def test_without_a_limit_there_is_no_timer(loop: Loop) -> None:
    clock = RunClock(None, lambda: None)
    clock.resume()
    clock.pause()
    clock.stop()
    assert loop.timers == []
