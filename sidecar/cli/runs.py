"""`ps` and `logs`: the runs of an own root, read from its journal."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sidecar.api.async_tasks import STATUSES, AsyncListResult, AsyncTask
from sidecar.api.errors import AmbiguousTaskId, TaskNotFound
from sidecar.app.clock import wall_clock_ms
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.options import common, storage_root
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner
from sidecar.subagents.journal import Journal, JournalMissing
from sidecar.subagents.records import RunRecord

T = TypeVar("T")

_SHOWN = 200
_EVENTS = 500
_POLL_SECONDS = 0.25
"""How often another process's journal is looked at: it cannot tell us of news."""


@click.command()
@storage_root
@click.option("--watch", is_flag=True, help="Go on showing how the runs stand, until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="The result of asyncTasks/list.")
@common
def ps(own_root: Path, watch: bool, as_json: bool, store: SettingsStore) -> int:
    """List the runs of subagents, newest first."""
    while True:
        found = asyncio.run(_reading(own_root, _list))
        if as_json:
            output.write_json(_result(found, store.current.async_tasks.max))
        else:
            owned = living_owner(OwnRoot(own_root)) is not None
            _print_runs(found[0] if found else [], owned=owned, clear=watch)
        if not watch:
            return exits.DONE
        time.sleep(1)


@click.command()
@click.argument("task_id", metavar="ID")
@storage_root
@click.option("--follow", is_flag=True, help="Go on until the run ends.")
@common
def logs(task_id: str, own_root: Path, follow: bool, store: SettingsStore) -> int:
    """Print what a run said: its messages on stdout, all else on stderr. ID may be the start of an id."""

    async def print_events(journal: Journal) -> None:
        record = await _resolve(journal, task_id)
        printer, seq = _Printer(), 0
        while True:
            page = await journal.read_events(record.task.id, seq, _EVENTS)
            for event in page.events:
                printer.print(event)
            seq = page.last_seq if page.events else seq
            if page.more:
                continue
            ended = any(_is_end(event) for event in page.events) or record.task.completed_at is not None
            if not follow or ended:
                printer.end_line()
                return
            await asyncio.sleep(_POLL_SECONDS)

    asyncio.run(_reading(own_root, print_events, needed=True))
    return exits.DONE


async def _reading(root: Path, work: Callable[[Journal], Awaitable[T]], *, needed: bool = False) -> T | None:
    """Do `work` with the journal of a root, read only; None when the root has none and none is needed."""
    try:
        journal = await Journal.open(OwnRoot(root).database, read_only=True)
    except JournalMissing:
        if needed:
            raise TaskNotFound(f"{root} has no journal yet, so there are no runs") from None
        return None
    try:
        return await work(journal)
    finally:
        await journal.aclose()


async def _list(journal: Journal) -> tuple[list[AsyncTask], dict[str, int]]:
    page = await journal.list(STATUSES, None, _SHOWN)
    return [record.task for record in page.records], dict((await journal.counts()).items())


async def _resolve(journal: Journal, prefix: str) -> RunRecord:
    exact = await journal.get(prefix)
    found = [exact] if exact is not None else await journal.by_prefix(prefix, 2)
    if not found:
        raise TaskNotFound(f"no run has the id or prefix {prefix!r}; `ps` lists them")
    if len(found) > 1:
        raise AmbiguousTaskId(f"several runs start with {prefix!r}; give more of the id")
    return found[0]


def _result(found: tuple[list[AsyncTask], dict[str, int]] | None, maximum: int) -> AsyncListResult:
    items, counts = found or ([], dict.fromkeys(STATUSES, 0))
    return AsyncListResult(items=items, counts=dict(counts), max=maximum, revision=0)


def _print_runs(tasks: list[AsyncTask], *, owned: bool, clear: bool) -> None:
    if clear and output.on_terminal():
        click.clear()
    now = wall_clock_ms()
    rows = [
        [
            task.status,
            task.subagent_name,
            task.goal_prompt,
            output.span((task.completed_at or now) - task.launched_at) if task.launched_at else "",
            task.end_reason or task.progress.current_tool or "",
            task.id,
        ]
        for task in tasks
    ]
    output.write_table(["STATUS", "AGENT", "GOAL", "TIME", "WHY", "ID"], rows, title_column=2)
    if not owned and any(task.status in ("queued", "running") for task in tasks):
        click.echo(
            "No sidecar owns this root now: what is shown as running was left by one that was killed, "
            "and the next start will say so.",
            err=True,
        )


class _Printer:
    """Print events: messages on stdout, each beginning on a line of its own, all else on stderr."""

    def __init__(self) -> None:
        self._message: object = None
        self._inside_line = False

    def print(self, event: dict[str, Any]) -> None:
        """Print one event."""
        if event["type"] in ("message", "result"):
            if event.get("messageId") != self._message:
                self.end_line()
            self._message = event.get("messageId")
            output.write(output.printable(event["text"]) if output.on_terminal() else event["text"])
            self._inside_line = not event["text"].endswith("\n")
        elif (line := _aside(event)) is not None:
            if output.on_terminal():
                self.end_line()
            click.echo(output.printable(line) if output.on_terminal() else line, err=True)

    def end_line(self) -> None:
        """End a line that was begun."""
        if self._inside_line:
            output.write("\n")
        self._inside_line = False


def _aside(event: dict[str, Any]) -> str | None:
    match event["type"]:
        case "log":
            return str(event["text"]).removesuffix("\n")
        case "tool":
            return f"[tool] {event.get('name')} {event.get('status')}"
        case "emit":
            return f"[emit] {event.get('name')} = {event.get('value')}"
        case "state":
            return f"[{event['status']}]"
    return None


def _is_end(event: dict[str, Any]) -> bool:
    return event["type"] == "state" and event["status"] in ("completed", "failed", "cancelled")
