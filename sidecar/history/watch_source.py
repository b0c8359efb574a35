"""Where news of files come from: the platform's notifications, on Linux its own, elsewhere by watchfiles."""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from threading import Event
from typing import Final, Protocol

DEBOUNCE_MS: Final = 50
STEP_MS: Final = 5
"""Measured: 6 ms from a write to the news (watchfiles 9); its defaults let a steady writer wait for 0.8 s."""
TICK_MS: Final = 100
"""How long without news until the follower gets the word nevertheless."""
_FORCED: Final = "WATCHFILES_FORCE_POLLING"
"""By this variable watchfiles is told to look at files that give no notice, such as a network's."""


class WatchUnavailable(Exception):
    """The platform cannot watch so much, or not at all."""


class NewsLost(Exception):
    """More happened than the platform could tell: nobody knows what."""


class Watch(Protocol):
    """Open watches."""

    def wait(self) -> set[str]:
        """Return paths that changed, or none after a tick.

        Raises WatchUnavailable when a limit is reached, FileNotFoundError for a folder that is gone,
        NewsLost.
        """


OpenWatch = Callable[[Sequence[str], Event], AbstractContextManager[Watch]]
"""Opens watches on folders, not on what is in their folders, until the context ends or the event is set.

Raises as `Watch.wait`, which puts the watches up on some platforms.
"""


def open_watch(folders: Sequence[str], stop: Event) -> AbstractContextManager[Watch]:
    """Watch folders by the best means there is."""
    # In Windows' Linux there is no notice of Windows' own files: watchfiles looks at them.
    if sys.platform == "linux" and _FORCED not in os.environ and "microsoft" not in platform.release():
        return open_inotify(folders)
    return open_watchfiles(folders, stop)


@contextmanager
def open_inotify(folders: Sequence[str]) -> Iterator[Watch]:
    """Watch folders on Linux; a wait that is under way lasts a tick when all is to end."""
    from sidecar.history.inotify import Inotify

    try:
        watch = Inotify(folders, TICK_MS, STEP_MS, DEBOUNCE_MS)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise WatchUnavailable(str(error)) from None
    with closing(watch):
        yield watch


@contextmanager
def open_watchfiles(folders: Sequence[str], stop: Event) -> Iterator[Watch]:
    """Watch folders; the first `wait` puts the watches up."""
    from watchfiles import watch  # here, because it takes longer to import than a server to answer

    changes = watch(
        *folders,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=False,
        ignore_permission_denied=True,
    )
    try:
        yield _Changes(changes)
    finally:
        changes.close()


class _Changes:
    def __init__(self, changes: Iterator[Iterable[tuple[object, str]]]) -> None:
        self._changes = changes

    def wait(self) -> set[str]:
        try:
            return {path for _, path in next(self._changes, ())}
        except FileNotFoundError:
            raise
        except (OSError, RuntimeError) as error:  # the library's own errors are RuntimeErrors
            raise WatchUnavailable(str(error)) from None
