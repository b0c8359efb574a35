"""Only what was appended is read, and an unfinished line waits for its end."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.stores.append_only import growing_file
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import LineDecoder
from sidecar.history.stores.sessions.folds import Folds


def read(path: Path, position: Position) -> tuple[bytes, bool]:
    """Return what was appended, and whether reading started again."""
    with open_growing(str(path), path.name, position) as growth:
        return b"".join(growth.blocks()), growth.restarted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":2}\n')
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as opened:
        opened.write(data)


def test_only_what_was_appended_is_read_again(file: Path) -> None:
    position = Position()
    assert read(file, position) == (b'{"a":1}\n{"a":2}\n', True)
    assert read(file, position) == (b"", False)
    append(file, b'{"a":3}\n')
    assert read(file, position) == (b'{"a":3}\n', False)


def test_a_file_that_is_rewritten_with_the_same_size_and_time_is_read_from_its_start(file: Path) -> None:
    rest = b'{"a":2}\n' * growing_file._REMEMBERED
    append(file, rest)
    position = Position()
    read(file, position)
    before = file.stat()
    with file.open("r+b") as opened:
        opened.write(b'{"b"')
    os.utime(file, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert read(file, position) == (b'{"b":1}\n{"a":2}\n' + rest, True)
    assert read(file, position) == (b"", False)


def test_a_cut_last_line_waits_for_its_end(file: Path) -> None:
    position = Position()
    append(file, b'{"a":"thr')
    assert read(file, position)[0] == b'{"a":1}\n{"a":2}\n'
    append(file, b'ee"}\n')
    assert read(file, position) == (b'{"a":"three"}\n', False)


def test_a_whole_last_line_without_its_end_counts_once(file: Path) -> None:
    position = Position()
    append(file, b'{"a":3}')
    assert read(file, position)[0].endswith(b'{"a":3}')
    append(file, b'\n{"a":4}\n')
    assert read(file, position) == (b'\n{"a":4}\n', False)


@pytest.mark.parametrize("data", [b'{"b":1}\n', b'{"b":1}\n{"b":2}\n', b'{"b":1}\n{"b":2}\n{"b":3}\n'])
def test_a_file_with_other_content_is_read_from_its_start(file: Path, data: bytes) -> None:
    position = Position()
    read(file, position)
    file.write_bytes(data)
    assert read(file, position) == (data, True)


def test_a_replaced_file_is_read_from_its_start(file: Path, tmp_path: Path) -> None:
    position = Position()
    known, _ = read(file, position)
    other = tmp_path / "other"
    other.write_bytes(known + b'{"a":3}\n')
    other.replace(file)
    assert read(file, position) == (known + b'{"a":3}\n', True)


def test_only_regular_files_are_read(tmp_path: Path, file: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    os.mkfifo(pipe)
    for path in (link, pipe, tmp_path):
        with pytest.raises(Unreadable) as refused:
            read(path, Position())
        assert refused.value.problem.code == "notRegular"


def test_a_missing_file_is_not_a_problem_of_its_content(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none", Position())


def test_an_endless_line_is_not_held_in_memory(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_file, "BLOCK", 16)
    monkeypatch.setattr(growing_file, "MAX_LINE", 64)
    append(file, b'{"a":"' + b"x" * 200)
    with open_growing(str(file), file.name, Position()) as growth:
        assert b"".join(growth.blocks()) == b'{"a":1}\n{"a":2}\n'
        assert [each.code for each in growth.problems] == ["tooLarge"]


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"") + b"\n"), max_size=12),
    cuts=st.lists(st.integers(0, 400), max_size=6),
    block=st.integers(1, 64),
)
def test_any_pieces_of_any_file_give_each_line_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cuts: list[int], block: int
) -> None:
    whole = b"".join(lines)
    path = tmp_path_factory.mktemp("grown") / "file"
    path.touch()
    position, got, restarts = Position(), b"", 0
    ends = sorted({min(cut, len(whole)) for cut in cuts} | {len(whole)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_file, "BLOCK", block)
        written = 0
        for end in ends:
            append(path, whole[written:end])
            written = end
            found, restarted = read(path, position)
            got += found
            restarts += restarted
    assert got == whole and restarts == 1


def test_a_file_with_too_many_records_is_read_in_part(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_file, "MAX_RECORDS", 2)
    monkeypatch.setattr(growing_file, "BLOCK", 8)
    taken: list[object] = []
    folds = Folds(LineDecoder(dict), lambda: taken, list.extend)
    for _ in range(2):
        append(file, b'{"a":3}\n')
        folded = folds.read(str(file), file.name)
        assert folded is not None
        assert [each.code for each in folded.problems] == ["tooLarge"]
    assert taken == [{"a": 1}, {"a": 2}]


def test_a_file_that_is_too_large_and_has_a_line_that_is_too_long_is_reported_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_file, "BLOCK", 16)
    monkeypatch.setattr(growing_file, "MAX_LINE", 64)
    monkeypatch.setattr(growing_file, "MAX_BYTES", 4_000)
    append(file, b"\0" * 5_000)
    with open_growing(str(file), file.name, Position()) as growth:
        assert b"".join(growth.blocks()) == b'{"a":1}\n{"a":2}\n'
        (found,) = growth.problems
    assert found.code == "tooLarge" and "a line of more than" in found.message


@pytest.mark.parametrize("pieces", [1, 2, 3, 6])
def test_the_same_records_count_however_the_file_grew(
    file: Path, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    monkeypatch.setattr(growing_file, "MAX_RECORDS", 4)
    monkeypatch.setattr(growing_file, "BLOCK", 40)
    taken: list[object] = []
    folds = Folds(LineDecoder(dict), lambda: taken, list.extend)
    for piece in range(pieces):
        append(file, b"".join(b'{"b":%d}\n' % number for number in range(6) if number % pieces == piece))
        folds.read(str(file), file.name)
    folded = folds.read(str(file), file.name)
    assert folded is not None and [each.code for each in folded.problems] == ["tooLarge"]
    assert len(taken) == 4
