"""Fixtures of the tests about databases that cannot be read."""

from pathlib import Path

import pytest

from sidecar.history.stores.opencode import failures


@pytest.fixture
def without_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once what could not be read, with an empty cache."""
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(failures, "_AGAIN_SECONDS", 0)
    monkeypatch.setattr(failures, "_PATIENCE", 0)
