"""A root that another product takes over: the rows that are kept of the former one are not used."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.stores import STORES
from tests.history.stores.fixtures.agents import history_of, listed


@pytest.fixture(autouse=True)
def _caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "user-cache"))


@pytest.mark.parametrize("product", ["claude", "codex"])  # their rows say how sessions depend on each other
def test_a_root_that_another_product_takes_over_lists_its_sessions(tmp_path: Path, product: str) -> None:
    root = tmp_path / "store"
    expected = _write_and_list(tmp_path / "fresh" / "store", product)
    for former in sorted(STORES.keys() - {product}):
        _write_and_list(root, former)
        assert _write_and_list(root, product) == expected


def _write_and_list(root: Path, product: str) -> dict[str, dict[str, Any]]:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    STORES[product](root, 2, 1)
    history = history_of(root)
    rows = listed(history)
    history.close()
    assert rows
    return {name: {**row, "root": ""} for name, row in rows.items()}
