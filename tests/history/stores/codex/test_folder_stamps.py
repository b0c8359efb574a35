"""The folders of days in which Codex keeps its sessions, compared in turns."""

from pathlib import Path

import pytest

from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.codex import folder_stamps
from sidecar.history.stores.codex.folder_stamps import FolderStamps
from sidecar.history.stores.sessions.folders import Folders

DAYS = [f"2026/{month:02}/{day:02}" for month in range(1, 6) for day in range(1, 11)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for day in DAYS:
        (tmp_path / "sessions" / day).mkdir(parents=True)
        (tmp_path / "sessions" / day / "rollout.jsonl").touch()
    return tmp_path


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []

    def noted(path: str) -> object:
        paths.append(path)
        return stamp_of(path)

    monkeypatch.setattr(folder_stamps, "stamp_of", noted)
    return paths


@pytest.mark.parametrize("place", [DAYS[-1], "2026/05/31", "2026/06/01", "2027/01/01"])
def test_a_new_session_of_a_new_day_changes_the_stamps_at_once(root: Path, place: str) -> None:
    stamps = FolderStamps(str(root), Folders())
    before = [stamps.refresh() for _ in range(3)][-1]
    assert stamps.refresh() == before
    (root / "sessions" / place).mkdir(parents=True, exist_ok=True)
    (root / "sessions" / place / "rollout-new.jsonl").touch()
    assert stamps.refresh() != before


@pytest.mark.parametrize("removed", ["session", "day"])
def test_what_is_removed_from_old_days_changes_them_within_a_round(root: Path, removed: str) -> None:
    stamps = FolderStamps(str(root), Folders())
    before = stamps.refresh()
    folder = root / "sessions" / DAYS[0]
    (folder / "rollout.jsonl").unlink()
    if removed != "session":
        folder.rmdir()
    assert any(stamps.refresh() != before for _ in range(8))


def test_old_days_are_compared_in_turns(root: Path, compared: list[str]) -> None:
    stamps = FolderStamps(str(root), Folders())
    stamps.refresh()
    compared.clear()
    stamps.refresh()
    assert len(compared) < len(DAYS) / 2
    for _ in range(7):
        stamps.refresh()
    assert {*map(Path, compared)} >= {root / "sessions" / day for day in DAYS}
