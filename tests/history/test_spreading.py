"""Work done in two processes gives what one process gives, whatever becomes of the other."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.history import TaskHistory
from sidecar.history.spreading import FEWEST, in_two_processes
from tests.generator import ERAS, HOSTILE, generate, write_hostile

NAMES = [f"name {number}" for number in range(FEWEST)]
PARENT = os.getpid()
NOW_MS = 1_776_254_400_000

pytestmark = pytest.mark.skipif("not hasattr(os, 'fork')") if False else []


def lengths(names: list[str]) -> list[int]:
    return [len(name) for name in names]


def processes(names: list[str]) -> list[int]:
    return [os.getpid() for _ in names]


def in_the_copy(deed: Callable[[], object]) -> Callable[[list[str]], list[int]]:
    """Work that does something else when it is done by the copy."""

    def work(names: list[str]) -> list[int]:
        if os.getpid() != PARENT:
            deed()
        return lengths(names)

    return work
