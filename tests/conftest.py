"""What holds for every test: none looks into, or leaves anything in, the user's own cache."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Take interrupts: a shell that runs tests in the background has them ignored, by all children too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIDECAR_CACHE_DIR", str(cache))
        yield cache
