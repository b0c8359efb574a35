"""What holds for every test: none looks into the user's own folders, or leaves anything in their cache."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sidecar.subagents.definitions.places import MOVED_BY
from tests.forked.server import ForkServer

# How fast examples are made and run says more about the machine than about the code.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


def pytest_configure() -> None:
    """Take interrupts: a shell that runs tests in the background has them ignored, by all children too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIDECAR_CACHE_DIR", str(cache))
        for variable in MOVED_BY.values():
            patch.delenv(variable, raising=False)
        yield cache


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """A process that forks commands of the sidecar without a start of half a second."""
    with ForkServer() as server:
        yield server


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)
