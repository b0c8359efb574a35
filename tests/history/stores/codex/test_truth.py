"""Every value of made sessions of Codex is right, and no answer counts twice."""

from pathlib import Path

import pytest

from sidecar.corpus.agents.codex import generate
from sidecar.corpus.agents.truth import listed
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection
from tests.history.conftest import NOW


def rows_of(root: Path, cache: Path | None = None) -> dict[str, tuple[object, ...]]:
    history = TaskHistory([root], now=lambda: NOW, cache=cache)
    rows = {task.id: listed(task) for task in history.select(Selection(children=True))}
    history.close()
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_every_value_is_true(tmp_path: Path, seed: int) -> None:
    truths = {truth.id: truth.matches() for truth in generate(tmp_path / "store", seed)}
    assert rows_of(tmp_path / "store", tmp_path / "cache") == truths
    assert rows_of(tmp_path / "store", tmp_path / "cache") == truths
