"""Of a folder with very many entries, a bounded number is listed, and the folder is named."""

import shutil
from pathlib import Path

import pytest

from sidecar.corpus.agents.claude import generate
from sidecar.corpus.truth import NOW_MS
from sidecar.history.doctor import examine
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.sessions import folders
from tests.history.stores.fixtures.agents import history_of


def seen(root: Path) -> tuple[int, list[str], list[str | None]]:
    """Count the sessions, and return the folders that the list and the doctor name."""
    history = history_of(root)
    page = history.page(ListQuery(children=True))
    found = examine(history, NOW_MS).findings
    named = [each.path for each in found if each.code == "tooLarge" and "VACUUM" in each.remedy]
    return len(page.items), [each.path for each in page.unlisted or ()], named


def test_a_crowded_folder_is_named_until_it_has_fewer_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    generate(root, 1)
    project = max((root / "projects").iterdir(), key=lambda each: len([*each.iterdir()]))
    session = next(each for each in project.glob("*.jsonl") if each.stat().st_size > 1_000)
    for number in range(30):
        shutil.copy(session, project / f"{number:08}-0000-4000-8000-000000000000.jsonl")
    whole, *named = seen(root)
    assert named == [[], []]
    entries = len([*project.iterdir()])
    monkeypatch.setattr(folders, "MAX_ENTRIES", entries - 10)
    cut, *named = seen(root)
    assert 0 < cut < whole and named == [[str(project)], [str(project)]]
    monkeypatch.setattr(folders, "MAX_ENTRIES", entries)
    assert seen(root) == (whole, [], [])
