"""Who may launch on a root, as owners come and go and files are removed."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.app.upkeep import ownership
from sidecar.app.upkeep.ownership import Ownership
from sidecar.storage import lock_file
from sidecar.storage.layout import OwnRoot


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnRoot:
    monkeypatch.setattr(ownership, "CHECK_SECONDS", 0.01)
    return OwnRoot(tmp_path / "root")


class Watcher:
    def __init__(self) -> None:
        self.acquired, self.lost, self.has_read = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def became_owner(self) -> None:
        self.acquired.set()

    async def still_reading(self) -> None:
        self.has_read.set()

    def lost_root(self) -> None:
        self.lost.set()


async def test_a_reader_becomes_the_owner_when_the_owner_is_gone(root: OwnRoot) -> None:
    owner, reader, watcher = await Ownership.claim(root), await Ownership.claim(root), Watcher()
    reader.watch(watcher)
    with pytest.raises(StorageError, match="root in use by pid"):
        reader.require()
    await owner.aclose()
    async with asyncio.timeout(5):
        await watcher.acquired.wait()
    reader.require()
    await reader.aclose()


async def test_a_reader_looks_for_changes_as_long_as_it_reads(root: OwnRoot) -> None:
    owner, reader, watcher = await Ownership.claim(root), await Ownership.claim(root), Watcher()
    for each in (owner, reader):
        each.watch(watcher)
    async with asyncio.timeout(5):
        await watcher.has_read.wait()
    await reader.aclose()
    await owner.aclose()


async def test_a_removed_lock_file_is_made_again_and_still_keeps_others_out(root: OwnRoot) -> None:
    owner = await Ownership.claim(root)
    root.lock.unlink()
    owner.require()
    other = await Ownership.claim(root)
    assert not other.is_owner
    await owner.aclose()


async def test_a_reader_does_not_take_over_when_the_lock_file_of_a_living_owner_is_removed(
    root: OwnRoot,
) -> None:
    owner, reader, watcher = await Ownership.claim(root), await Ownership.claim(root), Watcher()
    root.lock.unlink()
    reader.watch(watcher)
    async with asyncio.timeout(5):
        await watcher.has_read.wait()
    assert not reader.is_owner
    owner.require()
    assert root.lock.read_text() == str(os.getpid())
    await reader.aclose()
    await owner.aclose()


async def test_an_owner_whose_lock_somebody_else_took_launches_nothing_more(root: OwnRoot) -> None:
    owner, watcher = await Ownership.claim(root), Watcher()
    root.lock.unlink()
    other = lock_file.open_lock(root.lock)  # as a version does that locks the file alone
    assert lock_file.try_lock(other)
    with pytest.raises(StorageError, match=r"sidecar\.lock was removed or replaced while in use; restart"):
        owner.require()
    owner.watch(watcher)
    assert not owner.is_owner
    async with asyncio.timeout(5):
        await watcher.lost.wait()
    await owner.aclose()
    os.close(other)


async def test_an_owner_whose_root_is_removed_notices_by_itself(root: OwnRoot) -> None:
    owner, watcher = await Ownership.claim(root), Watcher()
    owner.watch(watcher)
    shutil.rmtree(root.path)
    async with asyncio.timeout(5):
        await watcher.lost.wait()
    with pytest.raises(StorageError, match="was removed or replaced"):
        owner.require()
    await owner.aclose()


async def test_an_owner_whose_journal_is_removed_gives_the_root_to_the_next(root: OwnRoot) -> None:
    owner, watcher, other = await Ownership.claim(root), Watcher(), Watcher()
    root.database.write_text("")
    owner.require()
    next_owner = await Ownership.claim(root)
    root.database.unlink()
    with pytest.raises(StorageError, match=r"sidecar\.db was removed or replaced while in use; restart"):
        owner.require()
    owner.watch(watcher)
    next_owner.watch(other)
    async with asyncio.timeout(5):
        await watcher.lost.wait()
        await other.acquired.wait()
    next_owner.require()
    assert not owner.is_owner
    await owner.aclose()
    await next_owner.aclose()


async def test_a_root_that_cannot_be_made_names_the_reason_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    reader = await Ownership.claim(OwnRoot(tmp_path / "file" / "root"))
    with pytest.raises(StorageError, match=r"cannot be used: .*; check the permissions and free space"):
        reader.require()
    await reader.aclose()
