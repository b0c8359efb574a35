import os
from pathlib import Path

import pytest

from sidecar.history.stores.claude.project_files import ProjectFiles
from sidecar.history.stores.sessions import kept_listings as module
from sidecar.history.stores.sessions.folders import Folders
from tests.history.stores.fixtures.momentary import too_many_open_files
from tests.history.stores.fixtures.one_session import OTHER, SESSION, write_session


class Listed:
    """The files of a root, and the folders that were listed to find them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files = ProjectFiles(str(root), Folders())
        self.folders: list[str] = []
        scandir = os.scandir

        def note(folder: str) -> object:
            self.folders.append(Path(folder).name)
            return scandir(folder)

        monkeypatch.setattr(os, "scandir", note)

    def keys(self) -> list[str]:
        """List the files."""
        self.folders.clear()
        return sorted(file.key for file in self.files.each())


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every folder count as settled, since the time of its last change cannot be set."""
    monkeypatch.setattr(module, "_SETTLED_NS", -1 << 62)


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Listed:
    write_session(tmp_path)
    return Listed(tmp_path, monkeypatch)


@pytest.mark.usefixtures("settled")
def test_a_folder_that_did_not_change_is_not_listed_again(listed: Listed) -> None:
    assert listed.keys() == [SESSION]
    assert listed.folders == ["projects", "-w"]
    assert listed.keys() == [SESSION]
    assert listed.folders == ["projects"]


@pytest.mark.usefixtures("settled")
def test_added_renamed_and_removed_files_are_found(listed: Listed, tmp_path: Path) -> None:
    listed.keys()
    added = write_session(tmp_path, OTHER)
    assert listed.keys() == [SESSION, OTHER]
    added.unlink()
    assert listed.keys() == [SESSION]
    session = added.with_name(f"{SESSION}.jsonl")
    session.rename(added)
    assert listed.keys() == [OTHER]


@pytest.mark.usefixtures("settled")
def test_a_subagent_is_found_in_a_project_that_did_not_change(listed: Listed, tmp_path: Path) -> None:
    subagents = tmp_path / "projects" / "-w" / SESSION / "subagents"
    subagents.parent.mkdir()
    assert listed.keys() == [SESSION]
    subagents.mkdir()
    (subagents / "agent-1.jsonl").write_text("{}\n")
    assert listed.keys() == [SESSION, "agent-1"]
    assert "-w" not in listed.folders


@pytest.mark.usefixtures("settled")
def test_a_folder_in_the_place_of_another_is_listed(listed: Listed, tmp_path: Path) -> None:
    listed.keys()
    project = tmp_path / "projects" / "-w"
    project.rename(tmp_path / "away")
    write_session(tmp_path, OTHER)
    assert listed.keys() == [OTHER]


@pytest.mark.usefixtures("settled")
def test_a_project_that_is_gone_has_no_files(listed: Listed, tmp_path: Path) -> None:
    listed.keys()
    (tmp_path / "projects" / "-w").rename(tmp_path / "away")
    assert listed.keys() == []


def test_a_folder_that_just_changed_is_listed_again(listed: Listed) -> None:
    listed.keys()
    listed.keys()
    assert listed.folders == ["projects", "-w"]


@pytest.mark.usefixtures("settled")
def test_a_listing_is_trusted_for_a_time_only(listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TRUSTED_SECONDS", 0.0)
    listed.keys()
    listed.keys()
    assert listed.folders == ["projects", "-w"]


@pytest.mark.usefixtures("settled")
def test_a_folder_that_could_not_be_listed_is_listed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(tmp_path)
    files = ProjectFiles(str(tmp_path), Folders())
    with too_many_open_files("-w", monkeypatch):
        assert [*files.each()] == []
    assert [file.key for file in files.each()] == [SESSION]
