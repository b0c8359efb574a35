"""Each end reaches a model at least once, and never again after its acknowledgement.

SIMULATION_SEED chooses what happens. It is fixed unless given; CI gives the date.
"""

import os
from pathlib import Path

import pytest

from tests.simulation.driver import simulate
from tests.simulation.world import KINDS

SEED = os.environ.get("SIMULATION_SEED", "fixed")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))


def test_every_end_is_reported_until_it_is_acknowledged() -> None:
    counts = simulate(SEED, 300)
    assert counts["reported"] >= counts["owed"] > 0
    assert all(counts[f"{kind.__name__}.joined"] > 0 for kind in KINDS)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_one_of_ten_thousand_ends_is_reported_until_it_is_acknowledged() -> None:
    counts = simulate(SEED, 10_000)
    assert counts["reported"] >= counts["owed"] > 0
    assert all(counts[f"{kind.__name__}.joined"] > 0 for kind in KINDS)
