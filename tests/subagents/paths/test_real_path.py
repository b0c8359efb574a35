"""Where a path leads, and that following it ends soon."""

import os
from pathlib import Path

import pytest

from sidecar.subagents.paths.real_path import MAX_LINKS, real_path
from sidecar.subagents.permissions import paths
from tests.bounded import bounded


def chain(folder: Path, links: int, end: str) -> Path:
    """Make `l0`, which leads to `end` through this many links."""
    for number in range(links):
        target = f"l{number + 1}" if number < links - 1 else end
        (folder / f"l{number}").symlink_to(target)
    return folder / "l0"


def test_links_relative_parts_and_missing_names_are_followed_as_the_system_does(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a/b")
    (tmp_path / "far").symlink_to(tmp_path / "link")
    for name in ("far/../x", "./link//none/../../y", "a/b", "far/../../link/z", "../.."):
        path = os.path.join(tmp_path, name)
        assert real_path(path) == os.path.realpath(path)


def test_a_relative_path_begins_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert real_path("a/../b") == os.path.join(os.path.realpath(tmp_path), "b")


@pytest.mark.parametrize("links", [MAX_LINKS + 1, 1_500])
def test_a_chain_that_the_system_does_not_open_leads_nowhere(links: int, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert real_path(chain(tmp_path, links, "file")) is None


def test_a_chain_that_the_system_opens_leads_to_its_end(tmp_path: Path) -> None:
    assert real_path(chain(tmp_path, MAX_LINKS, "end")) == os.path.realpath(tmp_path / "end")


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x/" * 3_000])
def test_what_no_file_can_be_called_leads_nowhere(path: str) -> None:
    assert real_path(path) is None


def test_a_loop_leads_nowhere(tmp_path: Path) -> None:
    assert real_path(chain(tmp_path, 2, "l0")) is None


def test_many_paths_through_long_chains_are_refused_soon(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(3):
        chain(folder, 400, "d")
        folder = folder / "d"
        folder.mkdir()
    with bounded():
        assert paths.inside([f"l0/l0/l0/f{number}" for number in range(paths.MAX_PATHS)], tmp_path) is None
