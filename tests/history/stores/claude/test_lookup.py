"""While a store is followed, a session is found by its id without checking all others."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecar.api.errors import TaskNotFound
from sidecar.history import TaskHistory
from sidecar.history.catalog import root_catalog
from sidecar.history.stores.claude.store import ClaudeStore
from tests.history.stores.claude.test_store import made, path_of, write
from tests.history.stores.fixtures.growing import history_of, tasks


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record each listing of all sessions, and take no scan for cheap."""
    monkeypatch.setattr(root_catalog, "CHEAP_SCAN_SECONDS", 0.0)
    found: list[object] = []
    members = ClaudeStore.members

    def recorded(store: ClaudeStore) -> Sequence[str]:
        found.append(store)
        return members(store)

    monkeypatch.setattr(ClaudeStore, "members", recorded)
    return found


def _followed(root: Path) -> TaskHistory:
    history = history_of(root)
    assert tasks(history)
    history.followed = True
    return history


def test_a_known_session_is_read_alone_and_current(tmp_path: Path, listings: list[object]) -> None:
    root, session = tmp_path / "store", made(1)
    write(root, session)
    write(root, made(2))
    history = _followed(root)
    listings.clear()
    assert history.get(session.truth.id)[0].message_count == session.truth.messages
    known = len(session.records)
    session.turn()
    write(root, session, known)
    assert history.get(session.truth.id)[0].message_count == session.truth.messages
    assert history.messages(session.truth.id).total
    assert listings == []


def test_a_session_that_is_new_or_gone_is_noticed(tmp_path: Path, listings: list[object]) -> None:
    root, session, later = tmp_path / "store", made(1), made(2)
    write(root, session)
    history = _followed(root)
    write(root, later)
    assert history.get(later.truth.id)[0].id == later.truth.id
    path_of(root, session).unlink()
    with pytest.raises(TaskNotFound):
        history.get(session.truth.id)
