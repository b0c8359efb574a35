"""A bound on processor time, against code whose time grows faster than its input."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 5.0
"""Ten times what a slow machine needs while it measures coverage; backtracking would take minutes."""


@contextmanager
def bounded() -> Iterator[None]:
    """Fail if the body uses more than `SECONDS` of this thread's processor time."""
    began = time.thread_time()
    yield
    assert time.thread_time() - began < SECONDS
