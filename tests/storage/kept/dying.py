"""A process that is killed, or whose disk is full, from a certain system call on."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

CALLS = ("open", "write", "fsync", "replace", "unlink", "utime", "ftruncate", "chmod", "mkdir")
_GROWING = ("open", "write", "fsync", "mkdir")


class Killed(BaseException):
    """The process was killed: whoever catches this cannot do anything either."""


@contextmanager
def killed_at(moment: int) -> Iterator[None]:
    """Kill the process at its n-th system call; a write at that moment writes half of its data."""

    def die(_: str) -> None:
        raise Killed

    with _failing_from(moment, die):
        yield


@contextmanager
def full_from(moment: int) -> Iterator[None]:
    """Let nothing grow from the n-th system call on; a write at that moment writes half of its data."""

    def refuse(name: str) -> None:
        if name in _GROWING:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with _failing_from(moment, refuse):
        yield


@contextmanager
def before_each_call(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` before each system call that changes files."""
    is_acting = False

    def call(name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        nonlocal is_acting
        if not is_acting:
            is_acting = True
            act()
            is_acting = False
        return real(*arguments, **options)

    with _wrapped(call):
        yield


@contextmanager
def _failing_from(moment: int, fail: Callable[[str], None]) -> Iterator[None]:
    left = moment

    def call(name: str, real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == -1 and name == "write":
            handle, data = arguments
            written = real(handle, data[: len(data) // 2])
            fail("half of a write")
            return written
        if left < 0:
            fail(name)
        return real(*arguments, **options)

    with _wrapped(call):
        yield


@contextmanager
def _wrapped(call: Callable[..., Any]) -> Iterator[None]:
    real = {name: getattr(os, name) for name in CALLS}
    for name, each in real.items():
        setattr(os, name, partial(call, name, each))
    try:
        yield
    finally:
        for name, each in real.items():
            setattr(os, name, each)
