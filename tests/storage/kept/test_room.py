"""The copies of sessions stay within their limit, and a former copy makes room for the next one."""

import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.storage.kept import writing
from sidecar.storage.kept.blobs import is_sound
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.drafts import NoRoom
from sidecar.storage.kept.writing import CopyWriter
from tests.storage.kept.test_copies import LINES, Place

LIMIT = 6_000
KEYS = st.sampled_from(["one", "two", "three"])
FILES = st.lists(st.sampled_from(range(6)), min_size=1, max_size=3)
"""The contents of a session's files, by number."""
STEPS = st.one_of(
    st.tuples(st.just("add"), KEYS, FILES),
    st.tuples(st.just("cut"), st.integers(0, 5), st.integers(0, 900)),
    st.tuples(st.just("harm"), st.integers(0, 5), st.integers(0, 900)),
    st.tuples(st.just("remove"), KEYS, st.just([0])),
    st.tuples(st.just("reopen"), KEYS, st.just([0])),
)


def incompressible(number: int) -> bytes:
    return random.Random(number).randbytes(400 * (number + 1))


def disk(writer: CopyWriter) -> int:
    return Copies(writer.folder).size


def harm(blob: str) -> None:
    data = Path(blob).read_bytes()
    Path(blob).write_bytes(data[:-10] + bytes(10))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def blobs(place: Place, key: str) -> list[str]:
    return [place.writer.blob(file) for file in place.writer.sessions()[key].files]


def test_a_damaged_copy_is_replaced_without_any_room(place: Place) -> None:
    paths = place.file("a.jsonl"), place.file("b.jsonl", LINES[:900])
    used = place.add("one", *paths)
    place.add("two", paths[1])  # which shares a file that is sound
    harm(blobs(place, "one")[0])
    assert place.add("one", *paths, room=0) == 0
    assert all(map(is_sound, blobs(place, "one"))) and disk(place.writer) == used


def test_a_cut_copy_needs_the_room_that_it_lost(place: Place) -> None:
    path = place.file("a.jsonl")
    used = place.add("one", path)
    os.truncate(blobs(place, "one")[0], 10)
    with pytest.raises(NoRoom):
        place.add("one", path, room=used - 11)
    assert place.add("one", path, room=used - 10) == used - 10


def test_a_copy_that_another_session_shares_makes_no_room(place: Place) -> None:
    path = place.file("a.jsonl", incompressible(4))
    place.add("one", path)
    other = place.file("b.jsonl", incompressible(4))
    place.add("two", other)
    place.file("a.jsonl", incompressible(3))
    with pytest.raises(NoRoom):
        place.add("one", path, room=100)
    assert len(place.writer.entries()) == 1
    place.writer.remove(["two"])
    used = disk(place.writer)
    assert place.add("one", path, room=100) < 0
    assert disk(place.writer) < used and len(place.writer.entries()) == 1


def test_a_former_copy_that_is_still_used_makes_no_room(place: Place) -> None:
    paths = place.file("a.jsonl", incompressible(4)), place.file("b.jsonl", incompressible(4))
    used = place.add("one", *paths)
    place.file("a.jsonl", incompressible(3))
    with pytest.raises(NoRoom):
        place.add("one", *paths, room=100)
    assert disk(place.writer) == used
    assert place.copied("one") == {"a.jsonl": incompressible(4), "b.jsonl": incompressible(4)}


def test_a_former_copy_makes_room_though_a_line_of_the_list_is_damaged(place: Place) -> None:
    path = place.file("a.jsonl", incompressible(4))
    place.add("one", path)
    with open(place.writer.list, "ab") as file:
        file.write(b"{damaged\n")
    place.writer = CopyWriter(place.writer.folder)
    place.file("a.jsonl", incompressible(3))
    assert place.add("one", path, room=100) < 0
    assert len(place.writer.entries()) == 1


def test_copies_that_are_not_finished_use_room_until_they_are_swept(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.file("a.jsonl", incompressible(4))
    place.add("one", path)

    def fails(folder: Path) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(writing, "sync_directory", fails)
        with pytest.raises(OSError, match="Input/output"):
            place.add("one", place.file("a.jsonl", incompressible(3)))
    assert place.writer.grown == disk(place.writer)
    assert len(place.writer.entries()) == 2
    place.writer.sweep()
    assert len(place.writer.entries()) == 1


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(STEPS, max_size=14))
def test_copies_never_exceed_their_limit(steps: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        start = place.writer.size
        for what, key, value in steps:
            found = sorted(entry.path for entry in place.writer.entries())
            before = disk(place.writer)
            if what == "add":
                paths = [place.file(f"{key}{at}", incompressible(each)) for at, each in enumerate(value)]
                room = LIMIT - start - place.writer.grown
                try:
                    used = place.add(key, *paths, room=room)
                    assert disk(place.writer) - before == used
                    assert place.copied(key).keys() == {os.path.basename(path) for path in paths}
                except NoRoom:
                    pass
                assert disk(place.writer) <= max(LIMIT, before)
            elif what == "remove":
                place.writer.remove([key])
            elif what == "reopen":
                place.writer = CopyWriter(place.writer.folder)
                place.writer.sweep()
            elif found:
                blob = found[key % len(found)]
                if what == "cut":
                    os.truncate(blob, min(value, os.path.getsize(blob)))
                else:
                    harm(blob)
            if what != "add":
                start = disk(place.writer) - place.writer.grown
