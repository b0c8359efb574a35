"""A list during the save of a file, which is empty or half written then, shows what it showed before."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.stores import STORES
from sidecar.history import TaskHistory
from sidecar.history.stores.sessions import saving
from tests.history.stores.fixtures.agents import history_of, listed

SAVED = 1_776_254_400.0
"""The time of the save, in seconds."""
FILES = {
    "gemini": ["tmp/*/chats/session-*.json", "projects.json"],
    "cline": ["sessions/*/*_?????.json", "sessions/*/*.messages.json"],
    "opencode": ["storage/session/*/*.json", "storage/message/*/*.json", "storage/part/*/*.json"],
    "copilot": ["session-state/*/workspace.yaml", "session-state/*/vscode.metadata.json"],
}
CASES = [(product, pattern) for product, patterns in FILES.items() for pattern in patterns]
CUTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
}


class Clock:
    """The time of the machine, in seconds."""

    def __init__(self) -> None:
        self.seconds = SAVED + 0.1

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Clock:
    """Stop the clock, so that a slow machine changes nothing; a list does not wait for the end of a save."""
    found = Clock()
    monkeypatch.setattr(saving, "wall_seconds", found)
    monkeypatch.setattr(saving, "WAIT_SECONDS", 0)
    monkeypatch.setattr(saving, "_LEAST_TRIES", 1)
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "databases"))
    return found


def store_of(product: str, folder: Path) -> Path:
    folder.mkdir()
    STORES[product](folder, 3, 1)
    return folder


def begin_save(path: Path, cut: Callable[[bytes], bytes]) -> bytes:
    """Leave of a file what another program has written of it so far; return the whole."""
    data = path.read_bytes()
    path.write_bytes(cut(data))
    os.utime(path, (SAVED, SAVED))
    return data


def shown(history: TaskHistory) -> dict[str, dict[str, Any]]:
    """List the rows without their sizes, which may follow the file at once."""
    rows = listed(history)
    for row in rows.values():
        row.pop("sizeBytes", None)
    return rows


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("product", "pattern"), [case for case in CASES if case[0] != "copilot"])
def test_a_half_written_file_changes_no_row(tmp_path: Path, product: str, pattern: str, cut: str) -> None:
    root = store_of(product, tmp_path / "store")
    history = history_of(root)
    before = shown(history)
    for path in sorted(root.glob(pattern))[:10]:
        data = begin_save(path, CUTS[cut])
        assert shown(history) == before, path
        path.write_bytes(data)
    history.refresh()
    assert shown(history) == before


@pytest.mark.parametrize("product", ["gemini", "cline", "opencode"])
def test_what_stays_half_written_is_shown_as_damage(tmp_path: Path, product: str, clock: Clock) -> None:
    root = store_of(product, tmp_path / "store")
    history = history_of(root)
    before = listed(history)
    for path in root.glob(FILES[product][-1] if product != "gemini" else FILES[product][0]):
        begin_save(path, CUTS["half"])
    listed(history)
    clock.seconds += saving.RECENT_SECONDS + 1
    after = listed(history)
    assert any(row["problems"] for row in after.values() if not before[row["id"]]["problems"])


def test_an_id_at_the_end_of_a_chat_is_awaited(tmp_path: Path) -> None:
    chats = tmp_path / "store" / "tmp" / "notes" / "chats"
    chats.mkdir(parents=True)
    answer = {"id": "m1", "timestamp": "2026-04-15T11:00:00Z", "type": "user", "content": "long " * 2_000}
    path = chats / "session-2026-04-15T11-00-0badcafe.json"
    whole = {"messages": [answer], "startTime": "2026-04-15T11:00:00Z", "sessionId": "0badcafe-1"}
    path.write_text(json.dumps(whole))
    data = begin_save(path, lambda data: data[:6_000])
    history = history_of(tmp_path / "store")
    assert listed(history) == {}
    path.write_bytes(data)
    assert [*listed(history)] == ["0badcafe-1"]
