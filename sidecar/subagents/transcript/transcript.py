"""Write a run as a stored task while it is running."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, get_args

from sidecar.api.errors import StorageError
from sidecar.changes.file_change import FileChange
from sidecar.changes.fold import ChangesFold
from sidecar.storage.layout import API_FILE, HISTORY_FILE, METADATA_FILE, UI_FILE, OwnRoot
from sidecar.storage.task_folder import TaskFolder
from sidecar.subagents.journal import codec
from sidecar.subagents.transcript import render
from sidecar.subagents.transcript.document import End, Outcome, Snapshot, TranscriptDocument, TranscriptHead

__all__ = ["Outcome", "Transcript", "TranscriptHead"]

STORED_OUTCOMES: Mapping[str, Outcome] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}
"""The outcome of a stored task, by the final status of its run."""
REWRITE_SECONDS = 0.5
WRITE_SHARE = 20
"""After a rewrite of t seconds, the next waits at least this many times t: at most 5 % of one core."""
SHARED_SECONDS = 8.0
"""All transcripts together stay within that share too, unless one would wait longer than this."""
FINISH_SECONDS = 10.0

log = logging.getLogger(__name__)

T = TypeVar("T")


class Transcript:
    """One run's folder under `<root>/tasks`, rewritten during the run and ended by `finish`.

    Whoever calls `start` must call `finish`, whatever happens to the run.
    """

    def __init__(
        self,
        folder: TaskFolder,
        document: TranscriptDocument,
        now: Callable[[], int],
        writers: Callable[[], int],
    ) -> None:
        self._folder = folder
        self._document = document
        self._now = now
        self._writers = writers
        self._changed = asyncio.Event()
        self._finishing = asyncio.Event()
        self._is_finished = False
        self._writer = asyncio.create_task(self._rewrite(), name=f"transcript {folder.path.name}")

    @classmethod
    async def start(
        cls,
        root: Path,
        head: TranscriptHead,
        now: Callable[[], int],
        writers: Callable[[], int] = lambda: 1,
        changes: ChangesFold | None = None,
    ) -> Self:
        """Create the folder with all its files. Raises StorageError if that fails.

        `writers` returns the number of transcripts being written, including this one; `changes` is the run's
        fold of changed files.
        """
        document = TranscriptDocument(head, changes)
        files = _files(document.snapshot())
        try:
            folder = await asyncio.to_thread(TaskFolder.create, OwnRoot(root), head.task_id, files)
        except OSError as error:
            raise _storage_error(root / "tasks" / head.task_id, error) from error
        return cls(folder, document, now, writers)

    @classmethod
    async def reopen(
        cls,
        root: Path,
        head: TranscriptHead,
        now: Callable[[], int],
        writers: Callable[[], int] = lambda: 1,
        changes: ChangesFold | None = None,
    ) -> Self:
        """Continue the folder of a run that an earlier process left, or create it.

        `record` the recorded events first. Raises StorageError.
        """
        folder = TaskFolder.existing(OwnRoot(root), head.task_id)
        if folder is None:
            return await cls.start(root, head, now, writers, changes)
        try:
            await asyncio.to_thread(folder.sweep_temporary)
        except OSError as error:
            raise _storage_error(folder.path, error) from error
        return cls(folder, TranscriptDocument(head, changes), now, writers)

    def record(self, event: dict[str, Any]) -> None:
        """Add one event of the run (with its `ts`); the files follow soon. Never waits."""
        if self._document.record(event):
            self._changed.set()

    async def finish(
        self,
        outcome: Outcome,
        *,
        at: int | None = None,
        final_message: str | None = None,
        error: str | None = None,
    ) -> None:
        """Write the end at `at` (ms since the epoch; None means now) and stop; the first end wins.

        `sync` makes it durable. Raises StorageError if writing fails; another call tries again.
        """
        self._document.finish(End(outcome, self._now() if at is None else at, final_message, error))
        if self._is_finished:
            return
        self._finishing.set()
        self._changed.set()
        try:
            async with asyncio.timeout(FINISH_SECONDS):
                await self._writer
                await asyncio.to_thread(_write, self._folder, self._document.snapshot())
        except (OSError, TimeoutError) as reason:
            raise _storage_error(self._folder.path, reason) from reason
        self._is_finished = True

    async def sync(self) -> None:
        """Sync the files to disk. Raises StorageError; another call tries again."""
        try:
            await asyncio.to_thread(self._folder.sync)
        except OSError as reason:
            raise _storage_error(self._folder.path, reason) from reason

    @staticmethod
    async def recover(
        root: Path,
        task_id: str,
        outcome: Outcome,
        error: str | None,
        *,
        at: int,
        final_message: str | None = None,
        changes: Sequence[FileChange] = (),
    ) -> bool:
        """End a transcript that a crash left open; return False if there is none or it already has an end.

        Call it only under the root's lock: it also removes the temporary files of the crash.
        """
        folder = TaskFolder.existing(OwnRoot(root), task_id)
        if folder is None:
            return False
        try:
            return await asyncio.to_thread(_recover, folder, End(outcome, at, final_message, error), changes)
        except OSError as reason:
            raise _storage_error(folder.path, reason) from reason

    @staticmethod
    async def add_usage(root: Path, task_id: str, numbers: Mapping[str, Any]) -> None:
        """Add usage to the list entry of an ended run, as members of it. Raises StorageError."""
        folder = TaskFolder.existing(OwnRoot(root), task_id)
        if folder is not None:
            try:
                await asyncio.to_thread(_add_to_item, folder, numbers)
            except OSError as reason:
                raise _storage_error(folder.path, reason) from reason

    async def _rewrite(self) -> None:
        while True:
            await self._changed.wait()
            if self._finishing.is_set():
                return
            self._changed.clear()
            began = time.perf_counter()
            try:
                await asyncio.to_thread(_write, self._folder, self._document.snapshot())
            except OSError as error:  # `finish` writes again, and raises
                log.error("the transcript %s could not be written: %s", self._folder.path, error)
            took = time.perf_counter() - began
            await self._pause(_rest_after(took, self._writers()))

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._finishing.wait()


def _rest_after(took: float, writers: int) -> float:
    """Return the seconds to wait after a rewrite."""
    alone = WRITE_SHARE * took
    return max(REWRITE_SECONDS, alone, min(SHARED_SECONDS, alone * writers))


def _files(snapshot: Snapshot) -> dict[str, bytes]:
    messages = render.ui_messages(snapshot)
    ui, api = codec.encode(messages), codec.encode(render.api_messages(snapshot))
    item = render.history_item(snapshot, messages[-1]["ts"], len(ui) + len(api))
    files = {UI_FILE: ui, API_FILE: api, HISTORY_FILE: codec.encode(item)}
    if snapshot.changes is not None:
        files[METADATA_FILE] = codec.encode(render.metadata(snapshot.changes))
    return files


def _write(folder: TaskFolder, snapshot: Snapshot) -> None:
    files = _files(snapshot)
    folder.write_ui(files[UI_FILE])
    folder.write_api(files[API_FILE])
    folder.write_history_item(files[HISTORY_FILE])
    if METADATA_FILE in files:
        folder.write_metadata(files[METADATA_FILE])


def _recover(folder: TaskFolder, end: End, changes: Sequence[FileChange]) -> bool:
    folder.sweep_temporary()
    item = _decoded(folder.read(HISTORY_FILE), dict) or {"id": folder.path.name, "product": "sidecar"}
    if item.get("outcome") in get_args(Outcome):
        return False
    messages = _decoded(folder.read(UI_FILE), list) or []
    sound = bool(messages) and all(isinstance(message, dict) for message in messages)
    if sound and not render.has_end(messages):
        folder.write_ui(codec.encode(render.with_end(messages, end)), durable=True)
    if changes:
        folder.write_metadata(codec.encode(render.metadata(changes)), durable=True)
    ended = {**item, "ts": end.at, "outcome": end.outcome}
    folder.write_history_item(codec.encode(ended), durable=True)
    return True


def _add_to_item(folder: TaskFolder, numbers: Mapping[str, Any]) -> None:
    item = _decoded(folder.read(HISTORY_FILE), dict)
    if item is not None:
        folder.write_history_item(codec.encode({**item, **numbers}), durable=True)


def _decoded(data: bytes | None, kind: type[T]) -> T | None:
    """Return a file's JSON if it has the expected type; damaged files are left unchanged."""
    try:
        value = codec.decode(data or b"null")
    except ValueError:
        return None
    return value if isinstance(value, kind) else None


def _storage_error(path: Path, error: Exception) -> StorageError:
    reason = str(error) or f"the disk did not answer for {FINISH_SECONDS:.0f} s"
    return StorageError(
        f"transcript {path}: {reason}; check free space and permissions", path=str(path), reason=reason
    )
