"""Add the usage that an agent did not report, or not all of, from the session in the agent's own store."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.subagents.runners.contract import AgentStore
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.transcript.transcript import Transcript

logger = logging.getLogger(__name__)


class StoreUsage(NamedTuple):
    """What a session used; None is unknown. `input_tokens` excludes what caches read and wrote."""

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    cache_reads: int | float | None = None
    cache_writes: int | float | None = None
    cost: float | None = None


ReadUsage = Callable[[str, Mapping[str, str]], Awaitable[StoreUsage | None]]
"""Read what a session used, given its ID and the environment of its agent; None if no store has it."""


class StoreUsages:
    """Read the usage of ended runs of one root."""

    def __init__(
        self, registry: RunRegistry, root: Path, read: ReadUsage, history_changed: Callable[[str], None]
    ) -> None:
        """`history_changed` is called with the ID of a run whose stored task was changed."""
        self._registry = registry
        self._history_changed = history_changed
        self._root = root
        self._read = read

    def look(self, run: Run, store: AgentStore | None) -> None:
        """Look in the background for the usage of a run whose processes have exited, unless it is known.

        `store` is that of its agent, if the agent keeps its sessions.
        """
        task = run.record.task
        if store is None or task.session_task_id is None:
            return
        if store.replaces_reports or not _is_known(task.progress):
            work = self._add(run, task.session_task_id, store.environment)
            self._registry.in_background(work, f"usage of {run.id}")

    async def _add(self, run: Run, session: str, environment: Mapping[str, str]) -> None:
        whole, before = await self._read(session, environment), await self._used_before(run.record.task)
        used = whole and before and _difference(whole, before)
        if not used or not _is_known(used):
            return
        if not (used.input_tokens or used.output_tokens):
            await self._note_none(run)
            return
        try:
            # The stored task first, so that whoever is notified of the usage finds it in the list too.
            await Transcript.add_usage(self._root, run.id, _entry_numbers(used))
            self._history_changed(run.id)
            known = {name: value for name, value in used._asdict().items() if value is not None}
            await self._registry.add_usage(run.record, {**known, "usage_source": "store"})
        except StorageError as error:
            logger.warning("the usage of run %s is not recorded: %s", run.id, error.message)

    async def _note_none(self, run: Run) -> None:
        """Note that the store has no tokens of a run: those of an answer that broke off are not known."""
        if not _is_known(run.record.task.progress):
            await self._registry.add_usage(run.record, {"usage_source": "store"})

    async def _used_before(self, task: AsyncTask) -> StoreUsage | None:
        """Sum what earlier runs in the same session used; None if that is not known."""
        used = StoreUsage()
        while task.resumes is not None and (record := await self._registry.find(task.resumes)) is not None:
            if record.task.session_task_id != task.session_task_id:
                break
            task = record.task
            if not _is_known(task.progress) and task.progress.usage_source is None:
                return None
            parts = (getattr(task.progress, name) for name in StoreUsage._fields)
            used = StoreUsage(*(_sum(*pair) for pair in zip(used, parts, strict=True)))
        return used


def _is_known(used: "Progress | StoreUsage") -> bool:
    return used.input_tokens is not None or used.output_tokens is not None


def _difference(whole: StoreUsage, before: StoreUsage) -> StoreUsage:
    """Subtract figures; one that would be negative is not known."""
    left = (
        None if value is None or value < (part or 0) else value - (part or 0)
        for value, part in zip(whole, before, strict=True)
    )
    return StoreUsage(*left)


def _sum(one: Any, other: Any) -> Any:
    return one if other is None else other if one is None else one + other


def _entry_numbers(used: StoreUsage) -> dict[str, Any]:
    """Return the members of a list entry, where `tokensIn` includes what caches read and wrote."""
    given = [used.input_tokens, used.cache_reads, used.cache_writes]
    numbers = {
        "tokensIn": sum(filter(None, given)) if used.input_tokens is not None else None,
        "tokensOut": used.output_tokens,
        "cacheReads": used.cache_reads,
        "cacheWrites": used.cache_writes,
        "totalCost": used.cost,
    }
    return {name: value for name, value in numbers.items() if value is not None}
