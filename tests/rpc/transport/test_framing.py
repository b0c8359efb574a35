import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.framing import MAX_BODY_BYTES, MAX_HEADER_BYTES, FrameDecoder, encode_frame


def feed_in_pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    decoder = FrameDecoder()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    return [frame for start, end in itertools.pairwise(edges) for frame in decoder.feed(stream[start:end])]


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=60), max_size=6), st.lists(st.integers(0, 500), max_size=12))
def test_any_split_of_the_stream_gives_the_same_frames(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(encode_frame(body) for body in bodies)
    assert feed_in_pieces(stream, cuts) == bodies


@settings(max_examples=60)
@given(st.binary(max_size=120), st.lists(st.integers(0, 120), max_size=6))
def test_any_split_of_any_bytes_ends_the_same_way(stream: bytes, cuts: list[int]) -> None:
    def outcome(pieces: list[int]) -> list[bytes] | str:
        try:
            return feed_in_pieces(stream, pieces)
        except FramingError:
            return "framing error"

    assert outcome(cuts) == outcome([])


def test_header_names_are_case_insensitive_and_other_headers_are_skipped() -> None:
    stream = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\ncOnTeNt-LeNgTh:   2  \r\n\r\n{}"
    assert FrameDecoder().feed(stream) == [b"{}"]


def test_lengths_are_bytes_not_characters() -> None:
    body = '"é漢😀"'.encode()
    assert FrameDecoder().feed(encode_frame(body) * 2) == [body, body]


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (b"Content-Type: x\r\n\r\n{}", "found 0"),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "found 2"),
        (b"Content-Length: -2\r\n\r\n{}", "not a number of bytes"),
        (b"Content-Length: 2.0\r\n\r\n{}", "not a number of bytes"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "not a number of bytes"),
        (b"Content-Length: 99999999999999\r\n\r\n", "over the limit"),
        (b"Content-Length 2\r\n\r\n{}", "malformed header line"),
        (b"Content-Length: 2\n\n{}", "bare newline"),
        (b'{"jsonrpc": "2.0"}\n', "expected a Content-Length header"),
        (b"\r\n\r\n{}", "malformed header line"),
    ],
)
def test_a_stream_without_framing_is_refused_in_words(stream: bytes, message: str) -> None:
    with pytest.raises(FramingError, match=message):
        FrameDecoder().feed(stream)


def test_a_body_may_have_64_mib_and_no_byte_more() -> None:
    header = b"Content-Length: %d\r\n\r\n"
    assert FrameDecoder().feed(header % MAX_BODY_BYTES) == []
    with pytest.raises(FramingError, match=str(MAX_BODY_BYTES)):
        FrameDecoder().feed(header % (MAX_BODY_BYTES + 1))


def test_a_header_that_never_ends_is_refused_at_8_kib() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"X-Padding: " + b"x" * (MAX_HEADER_BYTES - 12)) == []
    with pytest.raises(FramingError, match=str(MAX_HEADER_BYTES)):
        decoder.feed(b"x")


def test_an_error_keeps_the_frames_before_it() -> None:
    with pytest.raises(FramingError) as caught:
        FrameDecoder().feed(encode_frame(b"1") + encode_frame(b"2") + b"garbage\r\n\r\n")
    assert caught.value.frames == [b"1", b"2"]


def test_a_large_body_in_many_pieces_comes_whole() -> None:
    body = bytes(range(256)) * 16384
    stream, decoder = encode_frame(body), FrameDecoder()
    pieces = [stream[start : start + 65536] for start in range(0, len(stream), 65536)]
    assert [frame for piece in pieces for frame in decoder.feed(piece)] == [body]
