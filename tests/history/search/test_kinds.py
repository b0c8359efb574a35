"""A store with one kind of messages is read once for the index."""

from pathlib import Path

import pytest

from sidecar.history.search.build import update
from sidecar.history.stores.claude.store import ClaudeStore
from sidecar.history.stores.contract import Kind
from tests.history.stores.fixtures.one_session import SESSION, write_session


def test_each_session_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_session(tmp_path / "sessions")
    opened, open_messages = [], ClaudeStore.open_messages

    def noted(store: ClaudeStore, key: str, kind: Kind) -> object:
        opened.append((key, kind))
        return open_messages(store, key, kind)

    monkeypatch.setattr(ClaudeStore, "open_messages", noted)
    update(tmp_path / "index", str(tmp_path / "sessions"))
    assert opened == [(SESSION, "ui")]
