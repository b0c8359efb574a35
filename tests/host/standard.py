"""Replace this process's standard input and output for a while."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def standard(reading: int, writing: int) -> Iterator[None]:
    """Use these descriptors as standard input and output inside the context."""
    kept = os.dup(0), os.dup(1)
    os.dup2(reading, 0)
    os.dup2(writing, 1)
    try:
        yield
    finally:
        for number, each in enumerate(kept):
            os.dup2(each, number)
            os.close(each)


@contextlib.contextmanager
def nothing() -> Iterator[None]:
    """Use an empty standard input and discard standard output inside the context."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        with standard(null, null):
            yield
    finally:
        os.close(null)
