"""The terminal lists and shows sessions of which only the kept copy is left."""

import json
import shutil
from pathlib import Path

import pytest

from sidecar.corpus.agents.claude import generate
from sidecar.history.stores.registry import describe_root, open_store
from sidecar.storage.kept.writing import CopyWriter
from tests.cli.conftest import Run


def test_sessions_whose_originals_are_gone_are_listed_and_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / ".claude"
    generate(store, 3, 2)
    own = tmp_path / "own"
    monkeypatch.setenv("SIDECAR_STORAGE_ROOT", str(own))
    root = describe_root(store, kept=str(own / "kept"))
    opened = open_store(root)
    for key in opened.members():
        CopyWriter(root.copies).add(root.path, "claude", key, opened.files(key), 1 << 30)
    shutil.rmtree(store / "projects")
    code, listed, _ = run("list", "--root", str(store), "--query", "kept:true", "--json")
    rows = json.loads(listed)["items"]
    assert code == 0 and rows and all(row["kept"] for row in rows)
    code, shown, _ = run("show", rows[0]["id"], "--root", str(store))
    assert code == 0 and "the sidecar keeps a copy" in shown and rows[0]["title"] in shown
