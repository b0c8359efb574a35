"""A damaged line of the list protects what it may name, but does not keep outdated content for ever."""

import os
from pathlib import Path

import pytest

from sidecar.storage.kept import copies as copies_module
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.writing import CopyWriter
from tests.storage.kept.dying import Killed, killed_at
from tests.storage.kept.test_copies import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def grown(place: Place, key: str, size: int) -> None:
    place.writer = CopyWriter(place.writer.folder)
    place.add(key, place.file(f"{key}.jsonl", f"{key}\n".encode() * size))


def damage(place: Place, line: int, old: bytes = b"files", new: bytes = b"filez") -> None:
    path = Path(place.writer.list)
    lines = path.read_bytes().splitlines(True)
    lines[line] = lines[line].replace(old, new)
    path.write_bytes(b"".join(lines))


def files(place: Place) -> int:
    return len(place.writer.entries())


def test_former_copies_are_removed_while_a_line_is_damaged(place: Place) -> None:
    grown(place, "one", 1)
    grown(place, "two", 1)
    grown(place, "one", 2)
    damage(place, 1)
    for size in range(3, 9):
        grown(place, "one", size)
        assert files(place) == 2


def test_a_copy_that_only_a_damaged_line_names_stays(place: Place) -> None:
    for size in range(1, 4):
        for key in ("one", "two"):
            grown(place, key, size)
    damage(place, 6)  # the last copy of "two"
    assert "does not name 1 copied file" in (Copies(place.writer.folder).loss() or "")
    for size in range(4, 6):
        grown(place, "one", size)
        place.writer.sweep()
        assert files(place) == 2
    assert place.writer.remove(["one"]) and files(place) == 1


@pytest.mark.parametrize("line", [1, 4, 5], ids=["outdated", "outdated of another", "last of another"])
def test_the_content_of_a_deleted_session_goes_while_lines_are_damaged(place: Place, line: int) -> None:
    grown(place, "one", 1)
    grown(place, "one", 2)
    with killed_at(11), pytest.raises(Killed):  # before the former copy is removed
        grown(place, "one", 3)
    grown(place, "two", 1)
    grown(place, "two", 2)
    damage(place, line)
    assert files(place) == 3
    assert place.writer.remove(["one"]) and files(place) == 1


def test_a_former_copy_stays_if_a_damaged_line_of_another_session_names_it(place: Place) -> None:
    grown(place, "one", 1)
    path = place.file("copy.jsonl", b"one\n")
    place.add("two", path)
    damage(place, 2, b"false", b"falze")  # of the copy of "two", which shares the file of "one"
    grown(place, "one", 2)
    assert files(place) == 2
    place.writer.sweep()
    assert files(place) == 2


def test_a_damaged_list_is_written_again_once_its_other_lines_use_all_copies(place: Place) -> None:
    grown(place, "one", 1)
    grown(place, "two", 1)
    grown(place, "one", 2)
    damage(place, 1)
    place.writer.sweep()
    assert not Copies(place.writer.folder).listed().damaged
    assert [*Copies(place.writer.folder).sessions()] == ["two", "one"]
    assert os.path.getsize(place.writer.list) < 700


def test_a_shared_copy_stays_when_one_session_is_deleted_while_the_line_of_the_other_is_damaged(
    place: Place,
) -> None:
    grown(place, "one", 1)
    place.add("two", place.file("copy.jsonl", b"one\n"))
    damage(place, 2, b"false", b"falze")
    assert place.writer.remove(["one"]) and files(place) == 1


def test_a_deleted_session_whose_last_line_is_damaged_is_not_reported_as_missing(place: Place) -> None:
    grown(place, "one", 1)
    place.writer.remove(["one"])
    assert not Copies(place.writer.folder).missing()
    damage(place, 2)
    assert not Copies(place.writer.folder).missing()


def test_what_changes_between_two_readings_is_not_reported_as_missing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(place, "one", 1)
    grown(place, "two", 1)
    copies = Copies(place.writer.folder)

    def removed_meanwhile(path: str) -> bytes:
        data = Path(path).read_bytes()
        place.writer.remove(["one"])
        return data

    monkeypatch.setattr(copies_module, "_bytes_of", removed_meanwhile)
    assert not copies.missing()
    monkeypatch.undo()
    assert not copies.missing()
