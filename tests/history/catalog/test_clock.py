"""A clock that went back changes no list, apart from the age of tasks."""

from pathlib import Path

from sidecar.corpus.agents.claude import generate
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection
from sidecar.history.stores.status_by_age import DAY_MS
from tests.history.conftest import NOW


def ids_at(path: Path, cache: str, now: int) -> set[str]:
    """List the sessions in a process of its own."""
    history = TaskHistory([path / "root"], now=lambda: now, cache=path / cache)
    found = {row.id for row in history.select(Selection(children=True))}
    history.close()
    return found


def test_sessions_inside_of_files_stay_when_the_clock_goes_back(tmp_path: Path) -> None:
    generate(tmp_path / "root", 1)
    for now in (NOW, NOW - 2 * DAY_MS, NOW - DAY_MS, NOW):
        assert ids_at(tmp_path, "cache", now) == ids_at(tmp_path, f"new {now}", now)
