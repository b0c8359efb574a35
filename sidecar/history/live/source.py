"""Watches on folders, by watchfiles on every platform.

watchfiles collects changes in a thread of its own and looks every `step` milliseconds whether there are any,
so the step decides what waiting costs and how late news are. `watchfiles.watch` keeps one step for as long as
its watches stand; its core, `RustNotify`, takes one with each call, and that is used here: a short step after
any change, a long one when it is quiet. News take one to two steps, since the core waits for a step without a
further change.

Measured on one core of a virtual machine, processor time of waiting: step 1 ms 4.3 %, 5 ms 0.8 %,
10 ms 0.5 %, 20 ms 0.33 %, 30 ms 0.17 %, 40 ms 0.14 %, 100 ms 0.05 %. Opening 500 watches takes 50 ms, 4,000
take 75 ms; the core cannot add a watch to others, so a set of watches is replaced as a whole.
"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Event
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

BUSY_STEP_MS: Final = 5
QUIET_STEP_MS: Final = 40
BUSY_SECONDS: Final = 3.0
"""How long after a change the short step is used."""
DEBOUNCE_MS: Final = 50
"""The longest time that changes are collected for while more of them come."""
POLL_MS_EACH: Final = 1
POLL_MS_LEAST: Final = 300
"""Where files have to be polled: the pause between two polls, for each folder and at least."""


class WatchUnavailable(Exception):
    """The platform cannot watch so many folders, or none at all."""


class NewsLost(Exception):
    """Changes happened that cannot be named."""


class Watch(Protocol):
    """Open watches."""

    def wait(self, seconds: float) -> set[str]:
        """Return paths that changed, or none after `seconds` or once the stop event is set.

        Raises NewsLost; the watches have to be opened again then.
        """


OpenWatch = Callable[[Sequence[str], Event], AbstractContextManager[Watch]]
"""Opens watches on folders, not on what is in their folders, until the context ends or the event is set.

Raises FileNotFoundError for a missing folder, WatchUnavailable when the platform refuses.
"""


@contextmanager
def open_watch(folders: Sequence[str], stop: Event) -> Iterator[Watch]:
    """Watch folders; see `OpenWatch`."""
    from watchfiles._rust_notify import RustNotify  # here, because a server answers before it watches

    try:
        # Permission errors are not ignored: with them the core would ignore a reached limit too.
        core = RustNotify([*folders], False, must_poll(), _poll_ms(len(folders)), False, False)
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as error:  # the core's own errors are RuntimeErrors
        raise WatchUnavailable(str(error)) from None
    with core:
        yield _Adaptive(core, stop)


class _Adaptive:
    def __init__(self, core: "RustNotify", stop: Event) -> None:
        self._core = core
        self._stop = stop
        self._busy_until = 0.0

    def wait(self, seconds: float) -> set[str]:
        step = BUSY_STEP_MS if time.monotonic() < self._busy_until else QUIET_STEP_MS
        timeout_ms = max(1, int(seconds * 1000))  # 0 would be for ever
        try:
            changes = self._core.watch(DEBOUNCE_MS, step, timeout_ms, self._stop)
        except RuntimeError as error:  # kept by the core, which raises it at every call from now on
            raise NewsLost(str(error)) from None
        if isinstance(changes, str):  # why there are none
            return set()
        self._busy_until = time.monotonic() + BUSY_SECONDS
        return {path for _, path in changes}


def must_poll() -> bool:
    """Tell whether files give no notice of changes, by the rules that users of watchfiles know.

    On network drives users set WATCHFILES_FORCE_POLLING; Windows' Linux tells nothing of Windows' own files.
    """
    if wanted := os.environ.get("WATCHFILES_FORCE_POLLING"):
        return wanted.lower() not in {"false", "disable", "disabled"}
    return sys.platform == "linux" and "microsoft-standard" in platform.release().lower()


def _poll_ms(folders: int) -> int:
    wanted = os.environ.get("WATCHFILES_POLL_DELAY_MS", "")
    return int(wanted) if wanted.isdecimal() else max(POLL_MS_LEAST, folders * POLL_MS_EACH)
