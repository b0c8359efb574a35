"""A short folder, since the path of a socket must fit 100 bytes."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the runtime directory `run` and the temporary directory `tmp`."""
    folder = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))  # short
    (folder / "run").mkdir()
    (folder / "tmp").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def root(short: Path) -> Path:
    """An empty root."""
    root = short / "root"
    root.mkdir()
    return root
