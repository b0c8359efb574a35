"""Find when a task was created and last active."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.history.stores.task_folders.files import API_FILE, METADATA_FILE, UI_FILE
from sidecar.history.stores.task_folders.ids import time_in_id
from sidecar.history.stores.task_folders.records import TaskMetadata
from sidecar.history.stores.task_folders.structural.environment import Environment, newest_first, oldest_first
from sidecar.history.stores.task_folders.structural.stated_time import StatedTime
from sidecar.history.stores.task_folders.structural.view import (
    EARLIEST_MS,
    LATEST_MS,
    Sourced,
    TaskView,
    sane_ms,
)

_NS_PER_MS: Final = 1_000_000
_STATED: Final = "the time stated in an environment block"
_NOTED: Final = "dates of models and files"
_SEARCHED: Final = 1_000
"""How many environment blocks are searched: a product that states the time does so in every one."""
_FILE_DATES: Final = ("cline_read_date", "cline_edit_date", "roo_read_date", "roo_edit_date")
"""Only dates of the task's own work, since the user may edit a file at any time."""


def created(view: TaskView) -> Sourced | None:
    """Find the creation time: UI messages, ID, API history, stated and noted times, the file's age."""
    return next(_created(view), None)


def last_activity(view: TaskView) -> Sourced | None:
    """Find the newest time in either file, ignoring that the task was opened again.

    Where no message has one, the newest that the environment blocks state or the metadata notes.
    """
    newest = _newest([message.ts for message in view.ui_messages])
    found = Sourced(newest, UI_FILE, _opened_note(view)) if newest is not None else None
    newest = _newest([message.ts for message in view.api_messages])
    if newest is not None and (found is None or newest > found.value):
        found = Sourced(newest, API_FILE)
    listed = sane_ms(view.entry.ts) if view.entry is not None and not view.ui_messages else None
    if listed is not None and (found is None or listed > found.value):
        found = Sourced(listed, view.entry_source)
    return found or max(_other_times(view, newest_first(view), max), key=_value, default=None)


def _created(view: TaskView) -> Iterator[Sourced]:
    for index, message in enumerate(view.ui.records if view.ui else []):
        if (time := sane_ms(message.ts)) is not None:
            note = None if index == 0 else f"message {index} is the first with a credible time"
            yield Sourced(time, UI_FILE, note)
            break
    if (time := time_in_id(view.source.task_id, view.now + DAY_MS)) is not None:
        yield Sourced(time, "id")
    api_times = (time for answer in view.api_messages if (time := sane_ms(answer.ts)) is not None)
    if (time := next(api_times, None)) is not None:
        yield Sourced(time, API_FILE)
    if (other := min(_other_times(view, oldest_first(view), min), key=_value, default=None)) is not None:
        yield other
    yield from _file_times(view)


def _file_times(view: TaskView) -> Iterator[Sourced]:
    files = view.source.files
    for file in (files.ui, files.api, files.item):
        if file.stamp is not None:
            time = file.stamp[0] // _NS_PER_MS
            yield Sourced(time, file.name, "the file's modification time, because no other time is known")


def _value(found: Sourced) -> int:
    return int(found.value)


def _other_times(
    view: TaskView, blocks: Iterable[Environment], choose: Callable[[Iterable[int]], int]
) -> Iterator[Sourced]:
    """Yield the first credible time that `blocks` state, and the noted time that `choose` selects."""
    latest = view.now + DAY_MS
    if noted := [time for time in _noted(view.metadata) if time <= latest]:
        yield Sourced(choose(noted), METADATA_FILE, _NOTED)
    for block in islice(blocks, _SEARCHED):
        if (time := block.time) is not None and _is_credible(view, time):
            yield Sourced(time.ms, block.source, _STATED)
            return


def _noted(metadata: TaskMetadata | None) -> Iterator[int]:
    if metadata is None:
        return
    dates: list[Any] = []
    for record in (*_records(metadata.model_usage), *_records(metadata.environment_history)):
        dates.append(record.get("ts"))
    for record in _records(value_of(metadata.files_in_context)):
        dates += [record.get(name) for name in _FILE_DATES]
    yield from (time for date in dates if (time := sane_ms(date)) is not None)


def _records(value: Any) -> list[dict[str, Any]]:
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []


def _is_credible(view: TaskView, time: StatedTime) -> bool:
    """Return whether a stated time fits what else is known; certainly, if day and month may be swapped."""
    begun = time_in_id(view.source.task_id, view.now + DAY_MS)
    earliest, latest = (begun or EARLIEST_MS) - DAY_MS, view.now + DAY_MS
    if not earliest <= time.ms <= latest:
        return False
    if time.other is None or begun is None:
        return True
    stamp = view.source.files.api.stamp or view.source.files.ui.stamp
    written = stamp[0] // _NS_PER_MS + DAY_MS if stamp is not None else latest
    return not earliest <= time.other <= min(latest, written) or _puts_months_first(view, begun)


def _puts_months_first(view: TaskView, begun: int) -> bool:
    """Return whether the oldest time stated, read with the month first, is when the task began."""
    stated = (block.time for block in islice(oldest_first(view), _SEARCHED))
    first = next((time for time in stated if time is not None), None)
    return first is not None and abs(first.ms - begun) <= DAY_MS


def _newest(values: Sequence[Any]) -> int | None:
    """Find the newest time; when all are credible, as in most files, without checking each."""
    if not values:
        return None
    try:
        oldest, newest = min(values), max(values)
        if type(newest) is int and newest <= LATEST_MS and oldest >= EARLIEST_MS:
            return newest
    except TypeError:
        pass  # not all are numbers
    return max([time for value in values if (time := sane_ms(value)) is not None], default=None)


def _opened_note(view: TaskView) -> str | None:
    opened = view.opened
    times = [time for message in opened if (time := sane_ms(message.ts)) is not None] if opened else []
    return f"opened again at {max(times)}" if times else None
