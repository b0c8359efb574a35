"""One message a line."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.lines import LineDecoder, encode_line
from sidecar.rpc.transport.reader import open_reader


@given(st.lists(st.binary(max_size=20)), st.integers(1, 7))
def test_lines_come_whole_however_the_stream_is_cut(bodies: list[bytes], size: int) -> None:
    bodies = [body.replace(b"\n", b"") for body in bodies]
    stream = b"".join(map(encode_line, bodies))
    decoder = LineDecoder()
    lines = [line for at in range(0, len(stream), size) for line in decoder.feed(stream[at : at + size])]
    assert lines == [body.strip(b" \t\r") for body in bodies if body.strip(b" \t\r")]
    for line in lines:
        assert stream[line.start :].lstrip(b" \t\r").startswith(line)


def test_a_line_over_the_limit_is_an_error_that_keeps_the_lines_before() -> None:
    for last in (b"12345\n", b"12345"):
        with pytest.raises(FramingError) as caught:
            LineDecoder(4).feed(b"one\n1234\n" + last)
        assert caught.value.frames == [b"one", b"1234"]


async def test_the_position_counts_what_was_sent_whether_it_was_read_or_not() -> None:
    reading, writing = os.pipe()
    frames: list[bytes] = []
    reader = open_reader(reading, lambda _: True, frames.extend, lambda _: None, b"a\nb", LineDecoder())
    os.write(writing, b"c\nd")
    assert frames == [b"a"]
    assert reader.position() == 6
    reader.close()
    os.close(writing)
