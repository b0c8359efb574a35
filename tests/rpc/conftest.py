from collections.abc import Iterator

import pytest

from tests.rpc.wire import RawServer


@pytest.fixture
def server() -> Iterator[RawServer]:
    raw = RawServer()
    yield raw
    raw.close()
