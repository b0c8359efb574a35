"""Which runs "cancel all" covers."""

import os
from pathlib import Path
from typing import cast

import pytest

from sidecar.api.runs.async_tasks import Owner
from sidecar.app.clients.context import Caller
from sidecar.app.definitions import Definitions
from sidecar.app.launching.run_selection import EVERYTHING, RunSelection
from sidecar.app.launching.workspace import Workspace
from sidecar.app.settings import SettingsStore

HERE, THERE = Owner(client="editor", workspace_dir="/here"), Owner(client="editor", workspace_dir="/there")


@pytest.mark.parametrize(
    ("selection", "client_id", "owner", "covered"),
    [
        (EVERYTHING, "a", HERE, True),
        (EVERYTHING, "", None, True),
        (RunSelection(client_id="a"), "a", HERE, True),
        (RunSelection(client_id="a"), "b", HERE, False),
        (RunSelection(client_id="a"), "", None, False),
        (RunSelection(folders=frozenset({"/here"})), "b", HERE, True),
        (RunSelection(folders=frozenset({"/here"})), "a", THERE, False),
        (RunSelection(folders=frozenset({"/here"})), "a", None, True),
    ],
)
def test_a_run_is_covered_by_its_client_or_its_workspace(
    selection: RunSelection, client_id: str, owner: Owner | None, covered: bool
) -> None:
    assert selection.covers(client_id, owner) is covered


def caller(*folders: Path) -> Caller:
    return Caller(Workspace(folders), SettingsStore(), cast(Definitions, None), "editor", "client-1")


def test_a_client_reaches_what_it_launches(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    through_link, without_folders = caller(tmp_path / "link"), caller()
    assert through_link.owner("/elsewhere").workspace_dir == os.path.realpath(tmp_path / "real")
    assert caller(tmp_path / "real").selection().covers("other", through_link.owner())
    assert through_link.selection().covers("client-1", through_link.owner("/elsewhere"))
    assert without_folders.selection().covers("client-1", without_folders.owner("/any"))
    assert not without_folders.selection().covers("client-2", without_folders.owner("/any"))
