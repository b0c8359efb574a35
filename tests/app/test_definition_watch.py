import asyncio
from pathlib import Path

import pytest

from sidecar.app.definition_watch import DefinitionWatch
from sidecar.subagents.definitions import DefinitionDirectory

INTERVAL_SECONDS = 0.02


class Watched:
    """A watch on folders that come and go, and what it reported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places = [DefinitionDirectory(folder, "user")]
        self.reported = asyncio.Event()
        self.watch = DefinitionWatch(lambda: self.places, self.reported.set, INTERVAL_SECONDS)

    async def changed(self) -> None:
        async with asyncio.timeout(10):
            await self.reported.wait()
        self.reported.clear()


@pytest.fixture
async def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "agents")


async def test_a_folder_that_appears_and_each_change_in_it_are_reported(watched: Watched) -> None:
    watched.watch.start()
    try:
        await watched.watch.settled()
        watched.folder.mkdir()
        await watched.changed()
        (watched.folder / "a.md").write_text("one")
        await watched.changed()
        (watched.folder / "a.md").unlink()
        await watched.changed()
    finally:
        await watched.watch.aclose()


async def test_a_list_of_folders_that_changes_is_reported(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    watched.watch.start()
    try:
        await watched.watch.settled()
        watched.places.append(DefinitionDirectory(tmp_path / "more", "workspace"))
        await watched.changed()
    finally:
        await watched.watch.aclose()


async def test_an_end_before_its_time_is_logged(watched: Watched, caplog: pytest.LogCaptureFixture) -> None:
    broken = DefinitionWatch(lambda: [][0], watched.reported.set, INTERVAL_SECONDS)
    broken.start()
    async with asyncio.timeout(5):
        while "definitions are no longer watched" not in caplog.text:
            await asyncio.sleep(0.01)
    await broken.aclose()


async def test_closing_ends_it_at_once_and_again_is_not_an_error(watched: Watched) -> None:
    await watched.watch.aclose()
    watched.watch.start()
    async with asyncio.timeout(5):
        await watched.watch.aclose()
        await watched.watch.aclose()
    assert not watched.reported.is_set()
