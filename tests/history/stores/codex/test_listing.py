"""Sessions are found by listing only the folders that changed, which gives what listing all of them would."""

import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sidecar.history.stores.codex.store import CodexStore
from sidecar.history.stores.contract import Root
from sidecar.history.stores.sessions import kept_listings
from sidecar.history.stores.sessions.file_store import SessionFiles

STEPS = 60


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every folder count as settled, since the time of its last change cannot be set."""
    monkeypatch.setattr(kept_listings, "_SETTLED_NS", -1 << 62)


class Codex:
    """A store whose files are added, moved and removed at random."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.random = random.Random(seed)
        self.number = 0
        (path / "archived_sessions").mkdir(parents=True)
        for _ in range(5):
            self.add()

    def add(self) -> None:
        day = self.random.choice(["", "2026", "2026/01", "2026/01/30", "2026/01/31", "2026/02/01"])
        self.number += 1
        folder = self.path / "sessions" / day
        folder.mkdir(parents=True, exist_ok=True)
        end = self.random.choice([".jsonl", ".jsonl", ".jsonl.zst", ".json"])
        name = f"rollout-2026-{self.number:08x}-9cd5-7a38-8f26-e4a140ed9828{end}"
        (folder / name).write_bytes(b"{}\n")

    def file(self) -> Path | None:
        return self.random.choice(sorted(self.path.rglob("rollout-*")) or [None])

    def remove(self) -> None:
        if file := self.file():
            file.unlink()

    def archive(self) -> None:
        if file := self.file():
            file.rename(self.path / "archived_sessions" / file.name)

    def compress(self) -> None:
        if file := self.file():
            shutil.copyfile(file, file.with_name(f"{file.name}.zst"))

    def append(self) -> None:
        if file := self.file():
            with file.open("ab") as opened:
                opened.write(b"{}\n")

    def move_folder(self) -> None:
        if folders := sorted(each for each in (self.path / "sessions").rglob("[0-9]*") if each.is_dir()):
            self.number += 1
            self.random.choice(folders).rename(self.path / f"away{self.number}")

    def name(self) -> None:
        if file := self.file():
            key = file.name.removeprefix("rollout-2026-")[:36]
            with (self.path / "session_index.jsonl").open("a") as names:
                names.write(f'{{"id":"{key}","thread_name":"name {self.number}"}}\n')


ACTIONS: list[Callable[[Codex], None]] = [
    *(Codex.add, Codex.add, Codex.remove, Codex.archive),
    *(Codex.compress, Codex.append, Codex.move_folder, Codex.name),
]


def let_time_pass(path: Path) -> None:
    """Return when the next change of a file has another time than all before."""
    probe = path / "probe"
    probe.touch()
    first = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == first:
        probe.touch()


def found(path: Path) -> Mapping[str, SessionFiles]:
    return CodexStore(Root(str(path))).find()


@pytest.mark.parametrize("seed", range(10))
def test_what_is_found_equals_what_a_new_store_finds(tmp_path: Path, seed: int) -> None:
    codex = Codex(tmp_path, seed)
    store = CodexStore(Root(str(tmp_path)))
    for _ in range(STEPS):
        let_time_pass(tmp_path)
        codex.random.choice(ACTIONS)(codex)
        assert store.find() == found(tmp_path)


def test_appending_to_a_session_lists_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Codex(tmp_path, 1)
    store = CodexStore(Root(str(tmp_path)))
    before = store.find()
    monkeypatch.setattr(store._folders, "entries", None)
    with Path(next(iter(before.values())).paths[0]).open("ab") as opened:
        opened.write(b"{}\n")
    assert store.find() is before


@pytest.mark.parametrize("name", ["sessions", "archived_sessions"])
def test_a_new_session_behind_a_linked_folder_is_found_at_once(tmp_path: Path, name: str) -> None:
    codex = Codex(tmp_path / "elsewhere", 1)
    root = tmp_path / "root"
    root.mkdir()
    (root / name).symlink_to(codex.path / "sessions")
    store = CodexStore(Root(str(root)))
    before = len(store.find())
    let_time_pass(tmp_path)
    new = "rollout-2026-00000099-9cd5-7a38-8f26-e4a140ed9828.jsonl"
    (codex.path / "sessions" / new).write_bytes(b"{}\n")
    assert len(store.find()) == before + 1
