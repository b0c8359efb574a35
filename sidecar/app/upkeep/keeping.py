"""Keep copies of the sessions that their products will delete, as the setting `history.keep` defines."""

import asyncio
import errno
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from sidecar.api.errors import StorageError
from sidecar.api.settings import SettingsSource
from sidecar.api.stored.tasks import Product
from sidecar.app.upkeep.rounds import Rounds
from sidecar.history import TaskHistory
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.kept import due_for_a_copy
from sidecar.history.listing.selection import Selection
from sidecar.history.stores.children import descendants
from sidecar.history.stores.contract import Root
from sidecar.history.stores.index_row import IndexRow
from sidecar.storage.kept.blobs import Stopped
from sidecar.storage.kept.copies import copies_in
from sidecar.storage.kept.drafts import NoRoom
from sidecar.storage.kept.soundness import Soundness
from sidecar.storage.kept.writing import CopyWriter

logger = logging.getLogger(__name__)

ROUND_SECONDS: Final = 3600.0
_MEGABYTE: Final = 1_000_000
_NS_PER_MS: Final = 1_000_000
_FULL_DISK: Final = (errno.ENOSPC, getattr(errno, "EDQUOT", None))


class HasHistories(Protocol):
    """Has the histories of all clients."""

    @property
    def histories(self) -> Sequence[TaskHistory]:
        """All open histories."""

    async def entered(self) -> None:
        """Wait until there is a history."""

    def touch(self, root: str, task_ids: list[str]) -> None:
        """Check tasks again."""


class Keeping:
    """Copy sessions into the own root. Requires the root's lock.

    Methods that are not coroutines block, so call them in a thread. `now` returns ms since the epoch.
    """

    def __init__(
        self,
        stored: HasHistories,
        settings: SettingsSource,
        now: Callable[[], int],
        changed: Callable[[list[str]], object],
    ) -> None:
        """`changed` is called in the event loop with the IDs of sessions of which a round made copies."""
        self._stored = stored
        self._settings = settings
        self._now = now
        self._changed = changed
        self._writing = threading.Lock()
        self._stop = threading.Event()
        self._full: set[str] = set()
        """The roots whose copies reached the limit in the last round."""
        self._swept: set[str] = set()
        """The roots that were swept since the start: a killed process may have left deleted content."""
        self._soundness = Soundness(is_stopped=self._stop.is_set)
        self.rounds = Rounds(self._round, "copies of sessions", ROUND_SECONDS)

    def keep(self) -> list[str]:
        """Copy the sessions that are due; return their IDs."""
        wanted = self._settings.current.history.keep
        done: list[str] = []
        self._soundness.start_round()
        for catalog in self._catalogs() if wanted else ():
            try:
                copied = self._keep(catalog, wanted)
            except OSError as error:
                logger.warning("no copies of sessions of %s: %s", catalog.root.path, error)
                continue
            if copied:
                logger.info("kept copies of %d sessions of %s", len(copied), catalog.root.path)
                self._stored.touch(catalog.root.path, copied)
                done += copied
        return done

    def remove(self, root: Root, task_id: str) -> bool:
        """Remove the copies of a session and its child sessions; return whether there was one of the session.

        Copies with missing files are given up. Raises StorageError.
        """
        copies = copies_in(root.copies)
        kept = {*copies.sessions(), *copies.missing()}
        if task_id not in kept:
            return False
        rows = self._rows(root)
        family = [task_id, *descendants(rows, task_id)]
        # The session last: until it is gone, a deletion that was not finished can be repeated.
        keys = [key for key in reversed(family) if key in kept]
        # A row knows its time in ms, rounded down.
        touched = {key: (rows[key].touched + 1) * _NS_PER_MS for key in keys if key in rows}
        try:
            with self._writing:
                CopyWriter(root.copies).remove(keys, touched)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageError(f"{task_id}: {reason}", path=root.copies, reason=reason) from None
        self._stored.touch(root.path, keys)
        return True

    def still_listed(self, task_ids: Sequence[str]) -> list[str]:
        """Return the sessions that are still listed after their deletion, because the originals exist."""
        rows = [
            catalog.rows("structural") for history in self._stored.histories for catalog in history.catalogs
        ]
        return [name for name in task_ids if any(name in each and each[name].body for each in rows)]

    def stop(self) -> None:
        """Start no more rounds, and end the current one after the piece that it is copying."""
        self._stop.set()
        self.rounds.stop()

    async def aclose(self) -> None:
        """Stop, and wait for the end of the current round."""
        self.stop()
        await self.rounds.aclose()

    async def _round(self) -> None:
        await self._stored.entered()
        try:
            self._changed(await asyncio.to_thread(self.keep))
        except OSError as error:
            logger.warning("copies of sessions: %s", error)

    def _catalogs(self) -> Iterator[RootCatalog]:
        """Return each foreign root once, with up-to-date rows."""
        seen: set[str] = set()
        for history in self._stored.histories:
            for catalog in history.catalogs:
                path = catalog.root.path
                if path not in seen and catalog.root.copies and catalog.store.deletes_after() is not None:
                    seen.add(path)
                    history.select(Selection(children=True), [path])
                    yield catalog

    def _rows(self, root: Root) -> Mapping[str, IndexRow]:
        catalogs = [catalog for history in self._stored.histories for catalog in history.catalogs]
        return next((each.rows("structural") for each in catalogs if each.root.path == root.path), {})

    def _keep(self, catalog: RootCatalog, wanted: Sequence[Product]) -> list[str]:
        root, store = catalog.root, catalog.store
        copied: list[str] = []
        is_full = False
        with self._writing:
            writer = CopyWriter(root.copies, self._stop.is_set)
            try:
                due = due_for_a_copy(catalog, writer, wanted, self._now(), self._soundness)
            except Stopped:
                return []
            if due or root.path not in self._swept:
                writer.sweep()
                self._swept.add(root.path)
            room = self._settings.current.history.keep_max_bytes - (writer.size if due else 0)
            for key, product, is_damaged in due:
                if self._stop.is_set():
                    break
                try:
                    writer.add(root.path, product, key, store.files(key), room - writer.grown)
                except NoRoom:
                    is_full = True
                    if not is_damaged:
                        break
                    continue
                except Stopped:
                    break
                except OSError as error:
                    logger.warning("no copy of %s: %s", key, error)
                    if error.errno in _FULL_DISK:
                        break
                    continue
                copied.append(key)
            if copied:
                writer.sweep()
        self._report_full(root, is_full)
        return copied

    def _report_full(self, root: Root, is_full: bool) -> None:
        """Log that the copies of a root reached the limit, once until there is room again."""
        if not is_full:
            self._full.discard(root.path)
        elif root.path not in self._full:
            self._full.add(root.path)
            limit = self._settings.current.history.keep_max_bytes / _MEGABYTE
            message = "the copies of sessions of %s reach %.0f MB; raise history.keepMaxBytes or delete some"
            logger.warning(message, root.path, limit)
