"""Update search files with the tasks that changed."""

import contextlib
import logging
from collections.abc import Iterator
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

_log = logging.getLogger(__name__)

MAX_TASK_CHARACTERS: Final = 8_000_000
"""The most characters indexed per task."""
MAX_FILE_BYTES: Final = 4 << 30
"""The size at which no more tasks are added to a search file."""
_SKIPPED: Final = frozenset({"request", "checkpoint", "ask:resume_task", "ask:resume_completed_task"})
"""Kinds of messages without text of a person or model."""


def update(directory: Path, root: str, kept: str = "") -> None:
    """Index the changed tasks of one root; a damaged file is built again once.

    `kept` is the folder of all kept copies.
    """
    path = store_path(directory, root)
    try:
        _update(path, root, kept)
    except DATABASE_ERRORS as error:
        if not discard_if_damaged(path, error):
            raise
        _update(path, root, kept)


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


def _update(path: Path, root: str, kept: str) -> None:
    sessions = open_store(describe_root(root, kept=kept))
    with contextlib.closing(SearchStore(path)) as store:
        current, known = _versions(sessions), store.versions()
        if gone := known.keys() - current.keys():
            store.remove(gone)
        changed = [name for name, version in current.items() if known.get(name) != version]
        for name in sorted(changed, reverse=True):  # newest first: IDs begin with their time
            if path.stat().st_size > MAX_FILE_BYTES:
                return
            store.replace(name, current[name], _messages_in(sessions, name))


def _messages_in(store: Store, name: str) -> Iterator[IndexedMessage]:
    """Yield the messages of a member, and of the tasks inside of it."""
    yield from _messages(store, name)
    for inside in store.inside(name):
        yield from (replace(message, task=inside) for message in _messages(store, inside))


def _messages(store: Store, name: str) -> Iterator[IndexedMessage]:
    """Yield what the user saw, and messages of the model that do not repeat it."""
    seen: set[int] = set()
    budget = MAX_TASK_CHARACTERS
    for kind in store.kinds:
        with contextlib.suppress(StorageError), store.open_messages(name, kind) as opened:
            for message in opened.since():
                text = indexable(message.text or "")
                if kind == "api" and message.role == "user" and hash(text) not in seen:
                    text = indexable(typed(message.text or ""))
                if not text or message.kind in _SKIPPED or hash(text) in seen or len(text) > budget:
                    continue
                seen.add(hash(text))
                budget -= len(text)
                yield IndexedMessage(kind, message.index, message.role, message.ts, text)
