"""A stray file of another product does not change what a root is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.corpus.agents import codex
from sidecar.corpus.stores import STORES
from sidecar.history import TaskHistory
from tests.history.conftest import NOW

ROLLOUT = "rollout-2026-01-02T03-04-05-0198a2a2-0000-7000-8000-000000000001.jsonl"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the stores of all products, each into the folder of its name."""
    home = tmp_path_factory.mktemp("stores")
    for product, write in STORES.items():
        (home / product).mkdir()
        write(home / product, 5, 1)
    return home


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a session of Codex."""
    root = tmp_path_factory.mktemp("other")
    codex.generate(root, 1, 1)
    return next(root.rglob("rollout-*.jsonl"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def made() -> Iterator[list[Path]]:
    """Return a list of paths to remove after the test."""
    paths: list[Path] = []
    yield paths
    for path in paths:
        path.unlink()


def products(root: Path) -> set[str]:
    return {task.product for task in TaskHistory([root], now=lambda: NOW).list()}


@pytest.mark.parametrize("product", STORES)
@pytest.mark.parametrize("kind", ["file", "link", "pipe"])
def test_a_session_of_codex(stores: Path, session: Path, made: list[Path], product: str, kind: str) -> None:
    stray = stores / product / "sessions" / ROLLOUT
    stray.parent.mkdir(exist_ok=True)
    if kind == "file":
        stray.write_bytes(session.read_bytes())
    elif kind == "link":
        stray.symlink_to(session)
    else:
        os.mkfifo(stray)
    made.append(stray)
    assert products(stores / product) == {product}


@pytest.mark.parametrize("product", STORES)
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_a_database_of_opencode(stores: Path, made: list[Path], product: str, kind: str) -> None:
    stray = stores / product / "opencode-stray.db"
    if kind == "file":
        stray.touch()
    else:
        os.mkfifo(stray)
    made.append(stray)
    assert products(stores / product) == {product}


def test_a_session_of_codex_among_task_folders(tmp_path: Path, session: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / "root" / "tasks" / f"177000000000{number}"
        folder.mkdir(parents=True)
        (folder / "ui_messages.json").write_text('[{"ts": 1770000000000, "type": "say", "say": "text"}]')
        (folder / "api_conversation_history.json").write_text("[]")
    stray = tmp_path / "root" / "sessions" / ROLLOUT
    stray.parent.mkdir()
    stray.write_bytes(session.read_bytes())
    assert products(tmp_path / "root") == {"cline"}
