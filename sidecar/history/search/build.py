"""Update search files with the tasks that changed."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.history.catalog.cache_file import discard
from sidecar.history.catalog.sqlite_errors import DATABASE_ERRORS, is_damage
from sidecar.history.search.store import IndexedMessage, SearchStore, store_path
from sidecar.history.search.words import indexable, typed
from sidecar.history.stores.contract import Store
from sidecar.history.stores.registry import describe_root, open_store
from sidecar.history.task_history import clock_ms

_log = logging.getLogger(__name__)

MAX_TASK_CHARACTERS: Final = 8_000_000
"""The most characters indexed per task."""
MAX_FILE_BYTES: Final = 4 << 30
"""The size at which no more tasks are added to a search file."""
BATCH_SECONDS: Final = 0.25
"""How long tasks are indexed before what was read is written: until then others wait to write."""
_SKIPPED: Final = frozenset({"request", "checkpoint", "ask:resume_task", "ask:resume_completed_task"})
"""Kinds of messages without text of a person or model."""


def update(directory: Path, root: str, kept: str = "", now: Callable[[], int] = clock_ms) -> None:
    """Index the changed tasks of one root; a damaged file is built again once.

    `kept` is the folder of all kept copies, `now` returns the time in ms.
    """
    path = store_path(directory, root)
    try:
        _update(path, root, kept, now)
    except DATABASE_ERRORS as error:
        if not discard_if_damaged(path, error):
            raise
        _update(path, root, kept, now)


def discard_if_damaged(path: Path, error: Exception) -> bool:
    """Remove the search file if its content caused the error; return whether it did."""
    if not is_damage(error, path):
        return False
    _log.warning("the search index %s is damaged (%s); building it again", path, error)
    discard(path)
    return True


def current_versions(root: str, kept: str = "") -> dict[str, str]:
    """Return the version of each task's messages in a root, as text."""
    return _versions(open_store(describe_root(root, kept=kept)))


def _versions(store: Store) -> dict[str, str]:
    members = [key for key in store.members() if store.is_member(key, "structural")]
    return dict(store.message_versions(members))


def _update(path: Path, root: str, kept: str, now: Callable[[], int]) -> None:
    sessions = open_store(describe_root(root, kept=kept))
    with contextlib.closing(SearchStore(path)) as store:
        current, known = _versions(sessions), store.versions()
        gone = known.keys() - current.keys()
        if gone and not sessions.is_incomplete():
            store.remove(gone)
        resting = store.refusals.resting(now())
        changed = [name for name, each in current.items() if each not in (known.get(name), resting.get(name))]
        changed.sort()  # newest last: IDs begin with their time
        while changed and path.stat().st_size <= MAX_FILE_BYTES:
            until = time.monotonic() + BATCH_SECONDS
            with store.together():
                while changed and time.monotonic() < until:
                    name = changed.pop()
                    _index(store, sessions, name, current[name], is_whole=bool(known.get(name)), now=now())


def _index(store: SearchStore, sessions: Store, name: str, version: str, *, is_whole: bool, now: int) -> None:
    """Index one task; of one that cannot be read, the former messages stay, or else what can be read.

    With `is_whole` there are former messages, of all files.
    """
    refused: list[StorageError] = []
    try:
        store.replace(name, version, _messages_in(sessions, name, None if is_whole else refused))
        if refused:
            store.outdate(name)
    except StorageError as error:
        refused.append(error)
    if refused:
        store.refusals.note(name, version, str(refused[0]), now)
    else:
        store.refusals.forget(name)


def _messages_in(store: Store, name: str, refused: list[StorageError] | None) -> Iterator[IndexedMessage]:
    """Yield the messages of a member, and of the tasks inside of it.

    Raises StorageError, or adds it to `refused` and continues.
    """
    yield from _messages(store, name, refused)
    for inside in store.inside(name):
        yield from (replace(message, task=inside) for message in _messages(store, inside, refused))


def _messages(store: Store, name: str, refused: list[StorageError] | None) -> Iterator[IndexedMessage]:
    """Yield what the user saw, and messages of the model that do not repeat it."""
    seen: set[int] = set()
    budget = MAX_TASK_CHARACTERS
    for kind in store.kinds:
        with _noted(refused), store.open_messages(name, kind) as opened:
            for message in opened.since():
                text = indexable(message.text or "")
                if kind == "api" and message.role == "user" and hash(text) not in seen:
                    text = indexable(typed(message.text or ""))
                if not text or message.kind in _SKIPPED or hash(text) in seen or len(text) > budget:
                    continue
                seen.add(hash(text))
                budget -= len(text)
                yield IndexedMessage(kind, message.index, message.role, message.ts, text)


@contextlib.contextmanager
def _noted(refused: list[StorageError] | None) -> Iterator[None]:
    try:
        yield
    except StorageError as error:
        if refused is None:
            raise
        refused.append(error)
