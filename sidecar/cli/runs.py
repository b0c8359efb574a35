"""`ps` and `logs`: print the runs of an own root."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn, TypeVar

import click

from sidecar.api.errors import AmbiguousTaskId, TaskNotFound
from sidecar.api.runs.async_tasks import STATUSES, AsyncTask
from sidecar.api.runs.requests import AsyncListResult
from sidecar.app.clock import wall_clock_ms
from sidecar.app.run_counts import RunCounts, count_runs
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.abandoned import OwnerWatch
from sidecar.cli.client import host_runs, silence
from sidecar.cli.client.attached import HostEnded, run
from sidecar.cli.event_lines import EventLog
from sidecar.cli.nesting import nested
from sidecar.cli.options import common, storage_root
from sidecar.status_words import place_text, status_text
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner
from sidecar.subagents.journal.journal import Journal, JournalMissing
from sidecar.subagents.journal.journal_file import log_is_missing
from sidecar.subagents.journal.records import RunRecord

T = TypeVar("T")

_SHOWN = 200
_EVENTS = 500
POLL_SECONDS = 0.25
"""The interval for reading the journal of another process, which cannot notify this one."""


@click.command()
@storage_root
@click.option("--watch", is_flag=True, help="Refresh until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of asyncTasks/list.")
@common
def ps(own_root: Path, watch: bool, as_json: bool, store: SettingsStore) -> int:
    """List runs, newest first, and below each the runs that it launched."""
    maximum = store.current.async_tasks.max

    def show(found: AsyncListResult) -> None:
        if as_json:
            output.write_json(found)
        else:
            owned = living_owner(OwnRoot(own_root)) is not None
            _print_runs(found.items, owned=owned, clear=watch)

    if watch:
        run(_watch(own_root, maximum, show))
    show(run(_newest(own_root, maximum)))
    return exits.DONE


async def _newest(own_root: Path, maximum: int) -> AsyncListResult:
    """Return the runs as the Host reports them if there is one that answers, else those in the journal."""
    if await silence.answers(own_root):
        with contextlib.suppress(HostEnded):
            return await host_runs.newest(own_root, _SHOWN)
    return await _runs_of(own_root, maximum)


async def _watch(own_root: Path, maximum: int, show: Callable[[AsyncListResult], None]) -> NoReturn:
    """Show the runs as the Host reports them while there is one, else those in the journal."""
    while True:
        if await silence.is_running(own_root):
            with contextlib.suppress(HostEnded):
                await host_runs.watch(own_root, _SHOWN, show)
        show(await _runs_of(own_root, maximum))
        await asyncio.sleep(host_runs.REFRESH_SECONDS)


@click.command()
@click.argument("task_id", metavar="ID")
@storage_root
@click.option("--follow", is_flag=True, help="Keep following until the run ends.")
@common
def logs(task_id: str, own_root: Path, follow: bool, store: SettingsStore) -> int:
    """Show the output of a run: messages on stdout, the rest on stderr. ID can be a unique prefix."""
    log = EventLog()
    try:
        run(_print_events(own_root, task_id, log, follow=follow))
    finally:
        log.close()
    return exits.DONE


async def _print_events(own_root: Path, task_id: str, log: EventLog, *, follow: bool) -> None:
    if follow and await silence.is_running(own_root):
        with contextlib.suppress(HostEnded):
            await host_runs.follow(own_root, task_id, log)
            return
    await reading(own_root, lambda journal: _print_recorded(journal, own_root, task_id, log, follow=follow))


async def _print_recorded(
    journal: Journal, own_root: Path, task_id: str, log: EventLog, *, follow: bool
) -> None:
    """Print events up to now, or to the end. Raises StorageError for a run whose sidecar has died."""
    record = await resolve(journal, task_id)
    owner = OwnerWatch(own_root)
    while True:
        owner.update()
        page = await journal.read_events(record.task.id, log.seq, _EVENTS)
        log.take(page.events)
        if page.more:
            continue
        if not follow or log.has_ended or record.task.completed_at is not None:
            return
        owner.require(record.task.id)
        await asyncio.sleep(POLL_SECONDS)


async def reading(root: Path, work: Callable[[Journal], Awaitable[T]]) -> T:
    """Call `work` with the read-only journal of a root. Raises TaskNotFound if there is none."""
    owner = living_owner(OwnRoot(root))
    # A journal in use has a log. Look before this process opens it, which makes one.
    has_lost_log = owner is not None and log_is_missing(OwnRoot(root).database, owner)
    try:
        journal = await Journal.open(OwnRoot(root).database, read_only=True)
    except JournalMissing:
        raise TaskNotFound(f"{root} has no journal yet, so there are no runs") from None
    if has_lost_log:  # nor does a damaged journal have a log, but that cannot be opened
        output.echo(
            f"The write-ahead log of the journal was removed while pid {owner} uses it: the newest runs and "
            "events are not shown until that sidecar writes again.",
            err=True,
        )
    try:
        return await work(journal)
    finally:
        await journal.aclose()


async def _runs_of(root: Path, maximum: int) -> AsyncListResult:
    """Return what the journal holds, in the shape of the Host's answer."""
    try:
        tasks, counts = await reading(root, _list)
    except TaskNotFound:
        tasks, counts = [], RunCounts(dict.fromkeys(STATUSES, 0), 0)
    return AsyncListResult(
        items=tasks, counts=counts.by_status, foreground=counts.foreground, max=maximum, revision=0
    )


async def _list(journal: Journal) -> tuple[list[AsyncTask], RunCounts]:
    page = await journal.list(STATUSES, None, _SHOWN)
    return [record.task for record in page.records], await count_runs(journal)


async def resolve(journal: Journal, prefix: str) -> RunRecord:
    """Return the run with this ID or unique prefix. Raises TaskNotFound and AmbiguousTaskId."""
    exact = await journal.get(prefix)
    found = [exact] if exact is not None else await journal.by_prefix(prefix, 2)
    if not found:
        raise TaskNotFound(f"no run has the ID or prefix {prefix!r}; `ps` lists them")
    if len(found) > 1:
        raise AmbiguousTaskId(f"several runs have an ID that starts with {prefix!r}; use a longer prefix")
    return found[0]


def _print_runs(tasks: list[AsyncTask], *, owned: bool, clear: bool) -> None:
    if clear and output.on_terminal():
        click.clear()
    now = wall_clock_ms()
    rows = [
        [
            task.status,
            f"{'  ' * (depth - 1)}└ {task.subagent_name}" if depth else task.subagent_name,
            task.goal_prompt,
            output.span((task.completed_at or now) - task.launched_at) if task.launched_at else "",
            _why(task),
            task.id,
        ]
        for depth, task in nested(tasks)
    ]
    output.write_table(["STATUS", "AGENT", "GOAL", "TIME", "WHY", "ID"], rows, title_column=2)
    if not owned and any(task.status in ("queued", "running") for task in tasks):
        output.echo(
            "No sidecar is running for this root. Runs shown as running were interrupted; "
            "the next start marks them as lost.",
            err=True,
        )


def _why(task: AsyncTask) -> str:
    """Return how a run ended, or what it does or waits for."""
    if task.attention is not None and task.status == "running":
        return f"{status_text(task)}: {task.attention.title}"
    text = status_text(task)
    if task.status not in ("queued", "running"):
        return text
    why = None if text in ("Queued", "Running") else text
    return ", ".join(filter(None, [why, place_text(task), task.progress.current_tool]))
