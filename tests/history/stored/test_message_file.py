import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.history.stored import message_file
from sidecar.history.stored.message_file import (
    RefusedFile,
    index_messages,
    iter_messages,
    open_messages,
    read_from,
    read_messages,
)
from sidecar.history.stored.parsing import clean, elements

PARTS = st.sampled_from(
    [b"[", b"]", b"{", b"}", b",", b'"', b"\\", b'"a"', b"1", b" ", b'{"a":1}', b"\xc3\xa9", b"\xff", b"\n"]
)


def expected(data: bytes) -> list[bytes]:
    """What the whole-file splitting finds."""
    cleaned, _ = clean(data, "x")
    return elements(cleaned, "x", [])


def found(data: bytes) -> list[bytes]:
    """Replaced bytes only differ in when they are replaced."""
    return [part.decode("utf-8", "replace").encode() for part in iter_messages(read_from(data))]


@settings(max_examples=200)
@given(parts=st.lists(PARTS, max_size=40), piece=st.integers(1, 9), opened=st.booleans())
def test_streaming_finds_what_whole_file_splitting_finds(
    parts: list[bytes], piece: int, opened: bool
) -> None:
    data = (b"[" if opened else b"") + b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_file, "PIECE", piece)
        assert found(data) == expected(data)
        assert index_messages(read_from(data)).total == len(expected(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xef\xbb\xbf[1, 2]",
        b'\xef\xbb\xbf {"version":2,"messages":[1,2]}',
        b'{"messages": [1,2]}',
        b"\0" * 9_000,
        b"\0\0[1]\0\0",
        b'[{"a":1},{"a":2}' + b"\0" * 9_000,
        b'[{"a":1},{"a":2',
        b'[{"a":1},{"a"}',
        b"[1]]",
        b"[1][2]",
        b" \n[1]",
    ],
)
def test_the_odd_beginnings_and_ends_are_read_alike(data: bytes) -> None:
    assert found(data) == expected(data)


@settings(max_examples=50)
@given(total=st.integers(0, 300), start=st.integers(0, 300), length=st.integers(0, 300))
def test_any_stretch_of_messages_can_be_read(total: int, start: int, length: int) -> None:
    data = b"[" + b",".join(b'{"n":%d}' % n for n in range(total)) + b"]"
    index = index_messages(read_from(data))
    end = min(start + length, total)
    parts = read_messages(read_from(data), index, min(start, total), end)
    assert parts == [b'{"n":%d}' % n for n in range(min(start, total), end)]


def test_a_file_that_shrinks_gives_fewer_messages() -> None:
    data = b"[" + b",".join(b'{"n":%d}' % n for n in range(100)) + b"]"
    index = index_messages(read_from(data))
    assert read_messages(read_from(b"[]"), index, 70, 80) == []


def test_memory_is_that_of_a_page_not_of_the_file(tmp_path: Path) -> None:
    message = b'{"ts":1,"type":"say","say":"text","text":"' + b"\\u001b[0m word " * 150 + b'"}'
    path = tmp_path / "ui_messages.json"
    path.write_bytes(b"[" + b",".join([message] * 9_000) + b"]")
    tracemalloc.start()
    try:
        with open_messages(str(path)) as (read_at, _):
            index = index_messages(read_at)
            page = read_messages(read_at, index, index.total - 50, index.total)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(page), index.total) == (50, 9_000)
    assert peak < path.stat().st_size / 4


@pytest.mark.slow
def test_many_tiny_messages_cost_no_memory_each() -> None:
    data = b"[" + b"1," * 500_000 + b"1]"
    index = index_messages(read_from(data))
    assert index.total == 500_001 and len(index.offsets) < 10_000


@pytest.mark.parametrize("kind", ["directory", "pipe"])
def test_what_is_not_a_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    import os

    path = tmp_path / "ui_messages.json"
    path.mkdir() if kind == "directory" else os.mkfifo(path)
    with pytest.raises(RefusedFile), open_messages(str(path)):
        raise AssertionError("opened")


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(RefusedFile, match="bytes"), open_messages(str(path)):
        raise AssertionError("opened")
