"""Find differences between a task's list entry and its messages. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stored.texts import one_line
from sidecar.history.stores.task_folders.files import ITEM_FILE
from sidecar.history.stores.task_folders.records import ListEntry
from sidecar.history.stores.task_folders.structural import extract as structural
from sidecar.history.stores.task_folders.structural.usage import number
from sidecar.history.stores.task_folders.structural.view import TaskSource, TaskView, sane_ms

_CENT: Final = 0.005
_PART: Final = 0.01
_SLACK_MS: Final = 60_000
"""The list is written after the messages; up to a minute between them is normal."""
_SHOWN: Final = 60
_NO_ITEM: Final = StoredFile(ITEM_FILE)


def disagreements(source: TaskSource) -> list[str]:
    """Describe where the list entry and the messages of a task differ; empty if either is damaged."""
    view = TaskView(source)
    entry = view.entry
    if entry is None or view.ui is None or view.ui.problems or not view.ui_messages:
        return []
    silent = replace(source, entry=None, hint=None, files=replace(source.files, item=_NO_ITEM))
    info = structural.extract([silent])[0].info
    return [*_status(entry, info), *_figures(entry, info), *_title(entry, info), *_time(entry, info)]


def _status(entry: ListEntry, info: TaskInfo) -> Iterator[str]:
    if entry.status == "completed" and info.outcome != "completed":
        yield f"the list entry says completed, the messages say {info.outcome}"
    elif entry.status in ("active", "interrupted") and info.outcome == "completed":
        yield f"the list entry says {entry.status}, the messages say completed"


def _figures(entry: ListEntry, info: TaskInfo) -> Iterator[str]:
    usage = info.token_usage
    cost = usage.cost if usage else None
    listed = number(entry.total_cost)
    if listed is not None and cost is not None and abs(listed - cost) > max(_CENT, _PART * abs(cost)):
        yield f"cost {listed:.4f} in the list entry, {cost:.4f} in the messages"
    for name, ours in (("tokensIn", usage and usage.input), ("tokensOut", usage and usage.output)):
        theirs = number(entry.tokens_in if name == "tokensIn" else entry.tokens_out)
        if theirs is not None and ours is not None and theirs != ours:
            yield f"{name} {theirs} in the list entry, {ours} in the messages"


def _title(entry: ListEntry, info: TaskInfo) -> Iterator[str]:
    listed = one_line(entry.task) if isinstance(entry.task, str) else ""
    if listed and listed != info.title and not info.title.startswith("(no "):
        yield f"title {listed[:_SHOWN]!r} in the list entry, {info.title[:_SHOWN]!r} in the messages"


def _time(entry: ListEntry, info: TaskInfo) -> Iterator[str]:
    listed, active = sane_ms(entry.ts), info.last_activity
    if listed is not None and active is not None and abs(active - listed) > _SLACK_MS:
        minutes = round(abs(active - listed) / 60_000)
        yield f"the list entry is {minutes} min {'older' if listed < active else 'newer'} than the messages"
