"""No kept copy is lost: not by kills, full disks, damaged lists or lists from backups."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.storage.atomic import is_temp
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.writing import CopyWriter
from tests.storage.kept.dying import Killed, before_each_call, full_from, killed_at
from tests.storage.kept.test_copies import Place, content

SHARED = b"{}"
KEYS = ("one", "two", "three")
STEPS = st.one_of(
    st.tuples(st.just("keep"), st.sampled_from(KEYS), st.booleans()),
    st.tuples(st.just("die while keeping"), st.sampled_from(KEYS), st.integers(0, 30)),
    st.tuples(st.just("keep on a full disk"), st.sampled_from(KEYS), st.integers(0, 30)),
    st.tuples(st.just("die while sweeping"), st.just(""), st.integers(0, 12)),
    st.tuples(st.just("remove"), st.sampled_from(KEYS), st.just(99)),
    st.tuples(st.just("die while removing"), st.sampled_from(KEYS), st.integers(0, 12)),
    st.tuples(st.just("start again"), st.just(""), st.just(0)),
)
HARMS = st.one_of(
    st.tuples(st.just("flip"), st.integers(0), st.integers(1, 255)),
    st.tuples(st.just("cut"), st.integers(0), st.just(0)),
    st.tuples(st.just("restore"), st.integers(0), st.just(0)),
    st.tuples(st.just("forget"), st.just(0), st.just(0)),
)


class Life:
    """Sessions that grow, their copies, and what was reported as copied."""

    def __init__(self, path: Path) -> None:
        self.place = Place(path)
        self.list = Path(self.place.writer.list)
        self.sizes = dict.fromkeys(KEYS, 1)
        self.removals = dict.fromkeys(KEYS, 0)
        self.acknowledged: dict[str, dict[str, bytes]] = {}
        self.lists = [b""]

    def source(self, key: str) -> dict[str, bytes]:
        """Return the files of a session: one grows, one does not, and one is the same in all sessions."""
        steady = f"{key} {self.removals[key]}"
        return {key: f"{key}\n".encode() * self.sizes[key], f"{key}.json": steady.encode(), "all": SHARED}

    def keep(self, key: str) -> None:
        source = self.source(key)
        paths = [self.place.file(name, data) for name, data in source.items()]
        self.place.add(key, *paths)
        self.acknowledged[key] = source

    def start_again(self) -> None:
        self.place.writer = CopyWriter(self.place.writer.folder)

    def step(self, what: str, key: str, value: int) -> None:
        if key:
            self.sizes[key] += value % 2
        with contextlib.suppress(Killed, OSError):
            if what == "keep":
                self.keep(key)
            elif what == "die while keeping":
                with killed_at(value):
                    self.keep(key)
            elif what == "keep on a full disk":
                with full_from(value):
                    self.keep(key)
            elif what == "die while sweeping":
                with killed_at(value):
                    self.place.writer.sweep()
            elif what.endswith(("remove", "removing")):
                self.acknowledged.pop(key, None)
                self.removals[key] += 1
                with killed_at(value):
                    self.place.writer.remove([key])
        if what.startswith("die") or what == "start again":
            self.start_again()
            self.place.writer.sweep()
        self.lists.append(self.list.read_bytes() if self.list.exists() else b"")

    def harm(self, what: str, at: int, mask: int) -> None:
        data = bytearray(self.list.read_bytes() if self.list.exists() else b"")
        if what == "flip" and data:
            data[at % len(data)] ^= mask
        elif what == "cut":
            del data[at % (len(data) + 1) :]
        elif what == "restore":
            data[:] = self.lists[at % len(self.lists)]
        elif what == "forget":
            data.clear()
        self.list.parent.mkdir(parents=True, exist_ok=True)
        self.list.write_bytes(data)
        self.start_again()
        self.place.writer.sweep()

    def copied(self) -> dict[str, dict[str, bytes]]:
        return {key: self.place.copied(key) for key in Copies(self.place.writer.folder).sessions()}

    def uses(self, blob: str) -> bool:
        return any(blob in each.blobs for each in Copies(self.place.writer.folder).sessions().values())

    def blobs(self) -> dict[str, bytes]:
        return {
            each.name: content(each.path) for each in self.place.writer.entries() if not is_temp(each.name)
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(autouse=True)
def without_syncing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@contextlib.contextmanager
def a_life() -> Iterator[Life]:
    with tempfile.TemporaryDirectory() as folder:
        yield Life(Path(folder))


@settings(max_examples=50, deadline=None)
@given(steps=st.lists(STEPS, max_size=14))
def test_kills_and_full_disks_lose_no_copy_and_leave_nothing(steps: list[tuple[str, str, Any]]) -> None:
    with a_life() as life:
        for step in steps:
            life.step(*step)
            copied = life.copied()
            for key, files in life.acknowledged.items():
                assert copied[key] in (files, life.source(key))
            assert Copies(life.place.writer.folder).loss() is None
        life.start_again()
        for key in KEYS:
            life.keep(key)
        life.place.writer.sweep()
        assert life.copied() == life.acknowledged == {key: life.source(key) for key in KEYS}
        assert len(life.place.writer.entries()) == 2 * len(KEYS) + 1


@settings(max_examples=50, deadline=None)
@given(steps=st.lists(STEPS, min_size=2, max_size=12), harms=st.lists(HARMS, min_size=1, max_size=2))
def test_a_list_that_is_damaged_cut_or_old_loses_no_copy(
    steps: list[tuple[str, str, Any]], harms: list[tuple[str, int, int]]
) -> None:
    with a_life() as life:
        for step in steps:
            life.step(*step)
        safe = {data for files in life.copied().values() for data in files.values()} - {SHARED}
        for harm in harms:
            life.harm(*harm)
            assert safe <= {*life.blobs().values()}
        left = life.place.writer.size
        for _ in range(4):
            for key in KEYS:
                life.sizes[key] += 1
                life.keep(key)
            life.place.writer.sweep()
            life.start_again()
            assert life.copied() == {key: life.source(key) for key in KEYS}
        used = sum(each.stat().st_size for each in life.place.writer.entries() if life.uses(each.name))
        assert life.place.writer.size <= left + used


def without_checksums(data: bytes) -> bytes:
    return b"".join(line.rpartition(b',"crc":')[0] + b"}\n" for line in data.splitlines())


@pytest.mark.parametrize("version", [bytes, without_checksums], ids=["now", "older"])
def test_a_flipped_bit_at_any_place_of_the_list_removes_no_copy(
    tmp_path: Path, version: Callable[[bytes], bytes]
) -> None:
    life = Life(tmp_path)
    for step in [("keep", "one", 0), ("keep", "two", 0), ("keep", "two", 1), ("keep", "three", 0)]:
        life.step(*step)
    life.step("remove", "one", 99)
    before, whole = life.blobs().keys(), version(life.list.read_bytes())
    for place in range(len(whole)):
        life.list.write_bytes(whole)
        life.harm("flip", place, 1 << place * 5 % 8)
        assert before <= {entry.name for entry in life.place.writer.entries()}, place


def test_a_reader_sees_a_whole_copy_while_another_one_is_made(tmp_path: Path) -> None:
    life = Life(tmp_path)
    reader = Copies(life.place.writer.folder)
    life.keep("one")
    former = life.source("one")
    seen: list[dict[str, bytes]] = []

    def look() -> None:
        seen.append({file.path: content(reader.blob(file)) for file in reader.sessions()["one"].files})
        assert reader.loss() is None

    life.sizes["one"] += 1
    with before_each_call(look):
        life.keep("one")
    look()
    assert seen[0] == former and seen[-1] == life.source("one")
    assert all(each in (former, seen[-1]) for each in seen)


_KILLED = """
import os, signal, sys
from sidecar.storage.kept.writing import CopyWriter
from tests.storage.kept.dying import before_each_call
root, own, *files = sys.argv[1:]

def copy_and_die(moment):
    left = moment
    def die():
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    writer = CopyWriter(f"{own}/{moment}")
    writer.add(root, "claude", "one", files[:1], 1 << 30)
    with before_each_call(die):
        writer.add(root, "claude", "one", files, 1 << 30)
        writer.sweep()
    os._exit(0)

for moment in range(200):
    pid = os.fork()
    if not pid:
        copy_and_die(moment)
    if os.waitpid(pid, 0)[1] == 0:
        print(moment)
        break
"""


def test_a_process_that_is_killed_at_any_moment_leaves_the_former_copy_or_the_next(
    place: Place, tmp_path: Path
) -> None:
    files = {"a.jsonl": b"a" * 900, "b.jsonl": b"b" * 700}
    paths = [place.file(name, data) for name, data in files.items()]
    command = [sys.executable, "-c", _KILLED, str(place.root), str(tmp_path / "killed"), *paths]
    moments = int(subprocess.run(command, check=True, capture_output=True, timeout=50).stdout)
    assert moments > 10
    for moment in range(moments):
        place.writer = CopyWriter(str(tmp_path / "killed" / str(moment)))
        assert place.copied("one") in (files, {"a.jsonl": files["a.jsonl"]})
        place.add("one", *paths)
        place.writer.sweep()
        assert place.copied("one") == files
        assert len(place.writer.entries()) == 2
