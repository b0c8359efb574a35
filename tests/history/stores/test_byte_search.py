"""Files are searched for bytes, sparse ones without their holes."""

import os
import sys
import time
from pathlib import Path

import pytest

from sidecar.history.stores.sessions.byte_search import any_holds

HOLE = 16 << 30
"""The size of a hole that takes much longer than a second to read."""


def test_what_follows_a_hole_is_found_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"start")
        file.seek(HOLE)
        file.write(b"The End")
    began = time.process_time()
    assert any_holds([str(path)], [b"the end"])
    os.truncate(path, 2 * HOLE)
    assert not any_holds([str(path)], [b"elsewhere"])
    assert time.process_time() - began < 1


@pytest.mark.skipif(sys.platform == "win32", reason="no devices with a path")
def test_a_device_without_an_end_holds_nothing() -> None:
    assert not any_holds(["/dev/zero"], [b"the end"])
