"""The instruction files that an agent is told in its prompt."""

import os
from pathlib import Path

from sidecar.subagents.runners.acp.agents.instructions import MAX_BYTES, instructions


def test_those_of_the_repository_come_first_and_each_text_once(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    workspace = tmp_path / "sub"
    workspace.mkdir()
    (tmp_path / "A.md").write_text("Be brief.\n")
    (workspace / "A.md").write_text("Be kind.")
    found = instructions(workspace, ["A.md", "B.md"])
    prefix = "Instructions of this project for agents, from "
    expected = f"{prefix}{tmp_path / 'A.md'}:\n\nBe brief.\n\n{prefix}{workspace / 'A.md'}:\n\nBe kind."
    assert found == expected


def test_without_a_repository_only_the_workspace_counts(tmp_path: Path) -> None:
    workspace = tmp_path / "sub"
    workspace.mkdir()
    (tmp_path / "A.md").write_text("Not mine.")
    assert instructions(workspace, ["A.md"]) == ""


def test_links_out_of_the_repository_pipes_and_folders_are_left_out(tmp_path: Path) -> None:
    workspace = tmp_path / "sub"
    (workspace / "folder").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (workspace / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(workspace / "pipe")
    assert instructions(workspace, ["link", "pipe", "folder", "missing"]) == ""


def test_a_long_file_is_cut_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text("x" * (MAX_BYTES + 1))
    assert instructions(tmp_path, ["A.md"]).endswith("x\n[cut; read the file for the rest]")
