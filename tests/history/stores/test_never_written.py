"""Reading the stores of other agents changes nothing in them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.api.stored.search import SearchParams
from sidecar.corpus.agents import claude, codex
from sidecar.corpus.agents.truth import Truth
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.export import export
from sidecar.history.listing.selection import Selection
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from tests.history.conftest import NOW

Generate = Callable[[Path, int], list[Truth]]


def state_of(root: Path) -> dict[str, tuple[int, int, int, int, bytes]]:
    """Return what is stored of each name: kind and mode, inode, times and content."""
    found = {}
    for path in sorted([root, *root.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, content)
    return found


@pytest.mark.parametrize("generate", [claude.generate, codex.generate])
def test_no_byte_name_or_time_changes(tmp_path: Path, generate: Generate) -> None:
    root = tmp_path / "store"
    generate(root, 1)
    before = state_of(root)
    history = TaskHistory([root], now=lambda: NOW, cache=tmp_path / "cache")
    for task in history.select(Selection(children=True)):
        history.get(task.id)
        history.messages(task.id)
        history.files.files(task)
        export(history, task.id, "markdown")
    examine(history, NOW)
    update(tmp_path / "search", str(root))
    service = SearchService(tmp_path / "search", wait_seconds=60)
    assert service.search(history, SearchParams(text="parser")).hits
    service.close()
    history.close()
    assert state_of(root) == before
