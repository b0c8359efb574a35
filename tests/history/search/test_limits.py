"""A search names the tasks of which it read only a part."""

from pathlib import Path

import pytest

from sidecar.api.stored.search import SearchParams
from sidecar.history.search import SearchService
from sidecar.history.search.build import update
from sidecar.history.stores.append_only import growing_file
from tests.history.stores.claude.test_store import made, write
from tests.history.stores.fixtures.growing import history_of


def test_a_session_with_a_file_that_exceeds_the_limit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, whole, large = tmp_path / "store", made(1), made(2)
    for _ in range(20):
        large.turn()
    write(root, whole)
    write(root, large)
    (file,) = root.rglob(f"{large.truth.id}.jsonl")
    monkeypatch.setattr(growing_file, "MAX_BYTES", file.stat().st_size // 2)
    update(tmp_path / "search", str(root))
    service = SearchService(tmp_path / "search", wait_seconds=30)
    try:
        found = service.search(history_of(root), SearchParams(text="parser"))
    finally:
        service.close()
    assert found.partly_searched is not None
    ((name, place, title, message),) = [
        (e.task_id, e.root, e.title, e.message) for e in found.partly_searched
    ]
    assert (name, place) == (large.truth.id, str(root))
    assert title == large.truth.title
    assert message.startswith(f"{file.name} has {file.stat().st_size:,} bytes; the first")


def test_nothing_is_named_if_all_was_read(tmp_path: Path) -> None:
    root = tmp_path / "store"
    write(root, made(1))
    update(tmp_path / "search", str(root))
    service = SearchService(tmp_path / "search", wait_seconds=30)
    try:
        assert service.search(history_of(root), SearchParams(text="parser")).partly_searched is None
    finally:
        service.close()
