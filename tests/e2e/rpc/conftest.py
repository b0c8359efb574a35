from collections.abc import Iterator

import pytest

from tests.rpc.wire import RawServer


@pytest.fixture
def server() -> Iterator[RawServer]:
    raw = RawServer()
    yield raw
    raw.close()


@pytest.fixture(scope="module")
def shared_server() -> Iterator[RawServer]:
    """One server for many tests, each of which reads all the answers it causes."""
    raw = RawServer()
    yield raw
    raw.close()
