"""Where the sessions of Claude Code and Codex are found."""

from pathlib import Path

import pytest

from sidecar.corpus.agents import claude, codex
from sidecar.history import TaskHistory
from sidecar.history.discovery import discover_roots
from sidecar.history.stores.editors import Machine
from tests.history.conftest import NOW


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_default_folders_are_discovered(tmp_path: Path, platform: str) -> None:
    claude.generate(tmp_path / ".claude", 1, 1)
    claude.generate(tmp_path / ".config" / "claude", 2, 1)
    codex.generate(tmp_path / ".codex", 1, 1)
    found = discover_roots(Machine(tmp_path, {}, platform))
    assert set(found.roots) == {tmp_path / ".claude", tmp_path / ".config" / "claude", tmp_path / ".codex"}


@pytest.mark.parametrize("separator", [",", ", ", " , "])
def test_folders_named_in_the_environment_are_discovered(tmp_path: Path, separator: str) -> None:
    claude.generate(tmp_path / "a", 1, 1)
    claude.generate(tmp_path / "b", 2, 1)
    codex.generate(tmp_path / "c", 1, 1)
    folders = separator.join([str(tmp_path / "a"), str(tmp_path / "b")])
    named = {"CLAUDE_CONFIG_DIR": folders, "CODEX_HOME": str(tmp_path / "c")}
    found = discover_roots(Machine(tmp_path / "home", named, "linux"))
    assert set(found.roots) == {tmp_path / "a", tmp_path / "b", tmp_path / "c"}


def test_a_folder_with_another_name_is_recognized_by_its_content(tmp_path: Path) -> None:
    codex.generate(tmp_path / "claude", 1, 1)
    claude.generate(tmp_path / "codex", 1, 1)
    history = TaskHistory([tmp_path / "claude", tmp_path / "codex"], now=lambda: NOW)
    assert {(Path(task.root).name, task.product) for task in history.list()} == {
        ("claude", "codex"),
        ("codex", "claude"),
    }


def test_an_empty_root_becomes_that_of_the_product_that_writes_into_it_first(tmp_path: Path) -> None:
    root = tmp_path / "root"
    history = TaskHistory([root], now=lambda: NOW)
    assert not history.refresh().any()
    truths = claude.generate(root, 2, 2)
    assert set(history.refresh().added) == {truth.id for truth in truths}
    main = next(truth for truth in truths if truth.parent is None)
    assert history.messages(main.id).total
    history.files.files(history.get(main.id)[0])
