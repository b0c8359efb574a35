"""A child's output is read at once at first, at intervals while small pieces are frequent, and to its end."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.subagents.runners.process.pipes import PULSE_SECONDS, OutputPipe


class Transport(asyncio.ReadTransport):
    """Stands for the kernel's pipe, and records whether it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = True
        self.closed = False

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def close(self) -> None:
        self.closed = True


class Timers:
    """The loop's timers, which the test fires."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.due: list[Callable[[], object]] = []
        self.times: list[float] = []
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "call_later", self._later)
        monkeypatch.setattr(loop, "call_at", self._later)
        monkeypatch.setattr(loop, "time", lambda: 12.34)

    def fire(self) -> None:
        self.due.pop(0)()

    def _later(self, when: float, call: Callable[..., Any], *values: Any) -> asyncio.TimerHandle:
        self.times.append(when)
        self.due.append(lambda: call(*values))
        return asyncio.TimerHandle(when, call, values, asyncio.get_running_loop())


@pytest.fixture
async def timers(monkeypatch: pytest.MonkeyPatch) -> Timers:
    return Timers(monkeypatch)


@pytest.fixture
def transport() -> Transport:
    return Transport()


@pytest.fixture
def pipe(transport: Transport) -> OutputPipe:
    pipe = OutputPipe()
    pipe.connected(transport)
    return pipe


async def test_the_first_piece_is_read_at_once(
    pipe: OutputPipe, transport: Transport, timers: Timers
) -> None:
    pipe.received(b"hello")
    assert not transport.reading
    assert await pipe.read() == b"hello"
    assert transport.reading


async def test_frequent_small_pieces_are_read_at_the_next_interval(
    pipe: OutputPipe, transport: Transport, timers: Timers
) -> None:
    for words in (b"one", b"two"):
        pipe.received(words)
        assert await pipe.read() == words
    assert not transport.reading
    assert timers.times[0] / PULSE_SECONDS == pytest.approx(round(12.34 / PULSE_SECONDS) + 1)
    timers.fire()
    assert transport.reading


async def test_large_pieces_do_not_wait(pipe: OutputPipe, transport: Transport, timers: Timers) -> None:
    for _ in range(3):
        pipe.received(b"x" * 65536)
        await pipe.read()
    assert transport.reading
    assert not timers.due


async def test_a_pipe_with_unread_output_is_not_idle(
    pipe: OutputPipe, transport: Transport, timers: Timers
) -> None:
    pipe.received(b"early")
    pipe.drain(0.25)
    assert await pipe.read() == b"early"
    timers.fire()
    assert not transport.closed
    pipe.received(b"the result")
    assert await pipe.read() == b"the result"
    timers.fire()
    timers.fire()
    assert transport.closed
    assert await pipe.read() == b""


async def test_the_last_output_of_a_dead_child_does_not_wait(
    pipe: OutputPipe, transport: Transport, timers: Timers
) -> None:
    for words in (b"one", b"two"):
        pipe.received(words)
        await pipe.read()
    pipe.drain(0.25)
    assert transport.reading
