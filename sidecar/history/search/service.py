"""Answer searches, and run at most one worker process that updates the index."""

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.search import PartlySearched, SearchHit, SearchParams, SearchResult
from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.catalog.cache_file import require_writable
from sidecar.history.catalog.sqlite_errors import DATABASE_ERRORS, is_damage
from sidecar.history.listing.selection import Selection
from sidecar.history.search import worker
from sidecar.history.search.build import current_versions, discard_if_damaged
from sidecar.history.search.store import Found, SearchStore, TooCommon, store_path
from sidecar.history.search.words import match_expression, readable
from sidecar.history.task_history import TaskHistory, clock_ms

WAIT_SECONDS: Final = 3.0
"""How long a search waits for the worker before it uses the index as it is."""
_MOST_PARTLY: Final = 100
"""How many tasks are named that were searched in part."""

_REMEDY: Final = "make this folder writable, or name another in the variable SIDECAR_CACHE_DIR"

Rows = dict[tuple[str, str], TaskInfo]


class _Damaged(Exception):
    """The search file at `path` must be built again because of `error`."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path}: {error}")
        self.path = path
        self.error = error


class SearchService:
    """Search the messages of all roots; the index files are in `directory`. Thread-safe."""

    def __init__(self, directory: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._directory = directory
        self._wait_seconds = wait_seconds
        self._worker: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def search(
        self,
        history: TaskHistory,
        params: SearchParams,
        progress: Callable[[int, int], object] = lambda done, total: None,
    ) -> SearchResult:
        """Find messages that contain all words, best match first. Blocks.

        `progress(done, total)` counts the tasks that are indexed.
        Raises InvalidParams for a text without words or a bad query or root, StorageError if the index cannot
        be used or the words are too common to search in time.
        """
        expression = match_expression(params.text)
        wanted = Selection(query=params.query, children=True)
        rows = {(row.root, row.id): row for row in history.select(wanted, params.roots)}
        roots = [*history.names.selected(params.roots)]
        kept = history.kept
        progress(*self._progress(roots, kept))
        with self._errors_reported():
            self._bring_up_to_date(roots, kept)
            hits = self._sound_hits(roots, kept, expression, rows, params.limit)
            refused = self._refused(roots, rows)
        indexed, total = self._progress(roots, kept)
        return SearchResult(
            hits=hits,
            indexed=indexed,
            total=total,
            partly_searched=[*islice(_partly_searched(rows, refused), _MOST_PARTLY)] or None,
            revision=history.revision,
        )

    @property
    def is_indexing(self) -> bool:
        """Return whether messages are being read for the index."""
        with self._lock:
            return self._worker is not None and self._worker.poll() is None

    def close(self) -> None:
        """End the worker; the next one continues its work."""
        self._closed = True
        self._end_worker()

    def _sound_hits(
        self, roots: list[str], kept: str, expression: str, rows: Rows, limit: int
    ) -> list[SearchHit]:
        """Find hits; build damaged files again, each at most once."""
        for _ in roots:
            try:
                return self._hits(roots, expression, rows, limit)
            except _Damaged as damaged:
                self._end_worker()  # the worker may be writing to this file
                discard_if_damaged(damaged.path, damaged.error)
            self._bring_up_to_date(roots, kept)
        return self._hits(roots, expression, rows, limit)

    def _hits(self, roots: list[str], expression: str, rows: Rows, limit: int) -> list[SearchHit]:
        hits: list[SearchHit] = []
        seen: set[tuple[object, ...]] = set()
        with contextlib.ExitStack() as opened:
            found = [self._find(root, expression, opened) for root in roots]
            for root, each in merge(*found, key=lambda pair: pair[1].rank):
                row = rows.get((root, each.task))
                place = (root, each.task, each.kind, each.index)
                if row is not None and place not in seen:  # a resumed session repeats its subagents
                    seen.add(place)
                    hits.append(_hit(row, each))
                if len(hits) == limit:
                    break
        return hits

    def _bring_up_to_date(self, roots: list[str], kept: str) -> None:
        """Start the worker if something changed, and wait a moment for it.

        Raises OSError if the worker could not write the index.
        """
        with self._lock:
            if self._worker is None or self._worker.poll() is not None:
                indexed, total = self._progress(roots, kept)
                if self._closed or indexed == total:
                    return
                if self._worker is not None:
                    self._reap(self._worker, 0.0)
                for root in roots:
                    require_writable(store_path(self._directory, root))
                self._worker = worker.start(self._directory, roots, kept)
            current = self._worker
        with contextlib.suppress(subprocess.TimeoutExpired):
            current.wait(self._wait_seconds)

    def _end_worker(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._worker.kill()
                self._reap(self._worker, 1.0)

    def _reap(self, ended: "subprocess.Popen[bytes]", seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            ended.wait(seconds)
        if ended.stdin is not None:
            ended.stdin.close()

    def _progress(self, roots: list[str], kept: str) -> tuple[int, int]:
        """Count the tasks whose index is current or waits for their files, and all tasks."""
        indexed = total = 0
        for root in roots:
            current = current_versions(root, kept)
            known, resting = self._versions(root)
            total += len(current)
            indexed += sum(
                version in (known.get(name), resting.get(name)) for name, version in current.items()
            )
        return indexed, total

    def _versions(self, root: str) -> tuple[dict[str, str], dict[str, str]]:
        """Return the indexed versions, and those that could not be read lately."""
        path = store_path(self._directory, root)
        if not os.path.lexists(path):
            return {}, {}
        try:
            with contextlib.closing(SearchStore(path)) as store:
                return store.versions(), store.refusals.resting(clock_ms())
        except DATABASE_ERRORS as error:
            discard_if_damaged(path, error)
        except OSError:  # the search itself reports the error
            pass
        return {}, {}

    def _refused(self, roots: list[str], rows: Rows) -> dict[tuple[str, str], str]:
        """Return why the messages of listed tasks could not be read, by root and ID."""
        found: dict[tuple[str, str], str] = {}
        for root in roots:
            path = store_path(self._directory, root)
            if os.path.lexists(path):
                with contextlib.closing(SearchStore(path)) as store:
                    found |= {(root, name): each.reason for name, each in store.refusals.all().items()}
        return {place: reason for place, reason in found.items() if place in rows}

    def _find(self, root: str, expression: str, opened: contextlib.ExitStack) -> Iterator[tuple[str, Found]]:
        path = store_path(self._directory, root)
        if not os.path.lexists(path):
            return
        try:
            store = opened.enter_context(contextlib.closing(SearchStore(path)))
            for found in store.find(expression):
                yield root, found
        except DATABASE_ERRORS as error:
            if is_damage(error, path):
                raise _Damaged(path, error) from None
            raise

    @contextlib.contextmanager
    def _errors_reported(self) -> Iterator[None]:
        try:
            yield
        except TooCommon as error:
            message = f"text: {error}; add rarer words, or narrow the tasks with a query"
            raise StorageError(message, path=str(self._directory), reason=str(error)) from None
        except (*DATABASE_ERRORS, OSError, _Damaged) as error:
            message = f"the search index in {self._directory} cannot be used: {error}; {_REMEDY}"
            raise StorageError(message, path=str(self._directory), reason=str(error)) from None


def _partly_searched(rows: Rows, refused: Mapping[tuple[str, str], str]) -> Iterator[PartlySearched]:
    """Yield each task with a file of which only a part was read, or nothing lately."""
    for place, row in rows.items():
        too_large = (each.message for each in row.problems if each.code == "tooLarge")
        message = refused.get(place) or next(too_large, None)
        if message is not None:
            yield PartlySearched(task_id=row.id, root=row.root, title=row.title, message=message)


def _hit(row: TaskInfo, found: Found) -> SearchHit:
    return SearchHit(
        task_id=row.id,
        root=row.root,
        title=row.title,
        kind=found.kind,
        index=found.index,
        role=found.role,
        ts=found.ts,
        snippet=readable(found.snippet),
    )
