"""Watch folders with watchfiles on every platform.

watchfiles collects changes in a thread of its own and checks for them every `step` milliseconds, so the step
decides the cost of waiting and the delay of a change. `watchfiles.watch` keeps one step for as long as it
runs. Its core, `RustNotify`, takes a step with each call, so this module uses the core: a short step after a
change, a long one in quiet times. A change is reported after one to two steps, because the core waits for a
step without further changes.

Processor time of waiting, measured on one core of a virtual machine: step 1 ms 4.3 %, 5 ms 0.8 %,
10 ms 0.5 %, 20 ms 0.33 %, 30 ms 0.17 %, 40 ms 0.14 %, 100 ms 0.05 %. Opening 500 watches takes 50 ms, 4,000
take 75 ms. The core cannot add a watch later, so a set of watches is replaced as a whole.
"""

import math
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
QUIET_STEP_MS: Final = 30
"""So that the first change after a quiet time is listed within 100 ms too."""
BUSY_SECONDS: Final = 3.0
"""How long the short step is used after a change."""
DEBOUNCE_MS: Final = 50
"""The longest time that changes are collected while more arrive."""
POLL_MS_EACH: Final = 1
POLL_MS_LEAST: Final = 300
"""The pause between two polls where files must be polled: per folder, and at least."""


class WatchUnavailable(Exception):
    """The platform cannot watch this many folders, or any."""


class ChangesLost(Exception):
    """Changes happened, but their paths are unknown."""


class Watch(Protocol):
    """Open watches."""

    def wait(self, seconds: float) -> set[str]:
        """Return changed paths; the set is empty after `seconds` or once the stop event is set.

        Raises ChangesLost; open the watches again then.
        """


OpenWatch = Callable[[Sequence[str], Event], AbstractContextManager[Watch]]
"""Watch folders, but not their subfolders, until the context ends or the event is set.

Raises FileNotFoundError for a missing folder, WatchUnavailable when the platform refuses.
"""


@contextmanager
def open_watch(folders: Sequence[str], stop: Event) -> Iterator[Watch]:
    """Watch folders; see `OpenWatch`."""
    from watchfiles._rust_notify import RustNotify  # here, because the sidecar answers before it watches

    try:
        # Permission errors are not ignored, because the core would also ignore that a limit is reached.
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
        timeout_ms = max(1, math.ceil(seconds * 1000))  # 0 would wait forever
        try:
            changes = self._core.watch(DEBOUNCE_MS, step, timeout_ms, self._stop)
        except RuntimeError as error:  # the core raises it again with every later call
            raise ChangesLost(str(error)) from None
        if isinstance(changes, str):  # the reason why there are none
            return set()
        self._busy_until = time.monotonic() + BUSY_SECONDS
        return {path for _, path in changes}


def must_poll() -> bool:
    """Return whether files must be polled, by the documented rules of watchfiles.

    Users set WATCHFILES_FORCE_POLLING for network drives. WSL does not report changes of Windows files.
    """
    if wanted := os.environ.get("WATCHFILES_FORCE_POLLING"):
        return wanted.lower() not in {"false", "disable", "disabled"}
    return sys.platform == "linux" and "microsoft-standard" in platform.release().lower()


def _poll_ms(folders: int) -> int:
    wanted = os.environ.get("WATCHFILES_POLL_DELAY_MS", "")
    return int(wanted) if wanted.isdecimal() else max(POLL_MS_LEAST, folders * POLL_MS_EACH)
