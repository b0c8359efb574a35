import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.layout import OwnRoot


@pytest.fixture
def root(tmp_path: Path) -> OwnRoot:
    return OwnRoot(tmp_path / "data" / "root")


@pytest.fixture
def mode_of() -> Callable[[Path], int]:
    return lambda path: stat.S_IMODE(path.stat().st_mode)
