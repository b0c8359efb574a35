"""Both ways to read: what the loop can watch, and what needs a thread."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.framing import Frame, encode_frame
from sidecar.rpc.transport.reader import LoopReader, ThreadReader, open_reader


class Inlet:
    """A pipe with a reader at its end, and what the reader has delivered."""

    def __init__(self, kind: type[LoopReader | ThreadReader]) -> None:
        self._kind = kind
        self.read_fd, self.write_fd = os.pipe()
        self.may_read = True
        self.frames: asyncio.Queue[bytes] = asyncio.Queue(100)
        self.ends: asyncio.Queue[FramingError | None] = asyncio.Queue(10)

    def open(self) -> LoopReader | ThreadReader:
        reader = self._kind(self.read_fd, lambda seconds: self.may_read, self._deliver, self.ends.put_nowait)
        reader.open()
        return reader

    def _deliver(self, frames: list[Frame]) -> None:
        for frame in frames:
            self.frames.put_nowait(frame)

    def write(self, data: bytes) -> None:
        os.write(self.write_fd, data)

    def hang_up(self) -> None:
        if self.write_fd >= 0:
            os.close(self.write_fd)
            self.write_fd = -1


@pytest.fixture(params=[LoopReader, ThreadReader])
def inlet(request: pytest.FixtureRequest) -> Iterator[Inlet]:
    inlet = Inlet(request.param)
    yield inlet
    inlet.hang_up()


async def test_frames_come_in_order_and_the_end_once(inlet: Inlet) -> None:
    inlet.open()
    inlet.write(encode_frame(b"1") + encode_frame(b"2"))
    inlet.write(encode_frame(b"3"))
    assert [await asyncio.wait_for(inlet.frames.get(), 5) for _ in range(3)] == [b"1", b"2", b"3"]
    inlet.hang_up()
    assert await asyncio.wait_for(inlet.ends.get(), 5) is None
    assert inlet.ends.empty()


async def test_a_framing_error_ends_it_after_the_good_frames(inlet: Inlet) -> None:
    inlet.open()
    inlet.write(encode_frame(b"1") + b"garbage\r\n\r\n")
    assert isinstance(await asyncio.wait_for(inlet.ends.get(), 5), FramingError)
    assert inlet.frames.get_nowait() == b"1"


async def test_an_end_in_the_middle_of_a_frame_is_an_end(inlet: Inlet) -> None:
    inlet.open()
    inlet.write(encode_frame(b"12345")[:-2])
    inlet.hang_up()
    assert await asyncio.wait_for(inlet.ends.get(), 5) is None
    assert inlet.frames.empty()


async def test_a_pause_holds_frames_back_until_it_is_over(inlet: Inlet) -> None:
    inlet.may_read = False
    inlet.open()
    inlet.write(encode_frame(b"1"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(inlet.frames.get(), 0.05)
    inlet.may_read = True
    assert await asyncio.wait_for(inlet.frames.get(), 5) == b"1"


async def test_a_peer_that_hangs_up_during_a_pause_is_noticed(inlet: Inlet) -> None:
    inlet.may_read = False
    inlet.open()
    inlet.write(encode_frame(b"1"))
    inlet.hang_up()
    assert await asyncio.wait_for(inlet.ends.get(), 5) is None


async def test_nothing_is_delivered_after_close(inlet: Inlet) -> None:
    reader = inlet.open()
    reader.close()
    reader.close()
    if isinstance(reader, ThreadReader):
        inlet.write(encode_frame(b"1"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(inlet.frames.get(), 0.05)
    assert inlet.ends.empty()


async def test_a_regular_file_is_read_by_a_thread(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    path.write_bytes(encode_frame(b"1"))
    got: asyncio.Queue[list[Frame]] = asyncio.Queue(5)
    ended = asyncio.Event()
    reader = open_reader(os.open(path, os.O_RDONLY), lambda _: True, got.put_nowait, lambda _: ended.set())
    assert isinstance(reader, ThreadReader)
    await asyncio.wait_for(ended.wait(), 5)
    assert got.get_nowait() == [b"1"]
