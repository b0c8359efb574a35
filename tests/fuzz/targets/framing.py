"""The base protocol: a stream has the same frames and the same error, however it is cut."""

from collections.abc import Iterable

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame
from tests.fuzz.targets.seeding import in_pieces, written

SEEDS = written(
    {
        "two_frames": encode_frame(b'{"jsonrpc":"2.0"}') + encode_frame(b"{}"),
        "an_empty_body": encode_frame(b""),
        "more_fields": b"Content-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
        "odd_case_and_blanks": b"content-LENGTH:\t 2 \r\n\r\n{}",
        "two_lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "a_huge_length": b"Content-Length: 99999999999999999999\r\n\r\n{}",
        "bare_newlines": b"Content-Length: 2\n\n{}",
        "text": b"Traceback (most recent call last):\n",
    }
)


def read(data: bytes) -> None:
    """Decode a stream whole and in pieces, and frame the bytes as a body."""
    frames, failed = _decoded([data])
    cut, cut_failed = _decoded(in_pieces(data))
    assert (cut, cut_failed) == (frames, failed)
    assert _decoded([encode_frame(data)]) == ([data], False)


def _decoded(pieces: Iterable[bytes]) -> tuple[list[bytes], bool]:
    decoder = FrameDecoder()
    frames: list[bytes] = []
    try:
        for piece in pieces:
            frames += decoder.feed(piece)
    except FramingError as error:
        return frames + error.frames, True
    return frames, False
