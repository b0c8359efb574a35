"""When a task was created and last worked on."""

from collections.abc import Iterator, Sequence
from typing import Any

from sidecar.history.ageing import DAY_MS
from sidecar.history.products import time_in_id
from sidecar.history.reading import API_FILE, UI_FILE
from sidecar.history.view import EARLIEST_MS, LATEST_MS, Found, TaskView, sane_ms

_NS_PER_MS = 1_000_000


def created(view: TaskView) -> Found | None:
    """Find the creation time: first UI message, any UI message, the id, the API history, the file's age."""
    return next(_created(view), None)


def last_activity(view: TaskView) -> Found | None:
    """Find the newest time in either file, not counting that somebody opened the task."""
    newest = _newest([message.ts for message in view.ui_messages])
    found = Found(newest, UI_FILE, _opened_note(view)) if newest is not None else None
    newest = _newest([message.ts for message in view.api_messages])
    if newest is not None and (found is None or newest > found.value):
        found = Found(newest, API_FILE)
    listed = sane_ms(view.entry.ts) if view.entry is not None and not view.ui_messages else None
    if listed is not None and (found is None or listed > found.value):
        found = Found(listed, view.entry_source)
    return found


def _created(view: TaskView) -> Iterator[Found]:
    for index, message in enumerate(view.ui.records if view.ui else []):
        if (time := sane_ms(message.ts)) is not None:
            note = None if index == 0 else f"message {index} is the first with a credible time"
            yield Found(time, UI_FILE, note)
            break
    if (time := time_in_id(view.source.task_id, view.now + DAY_MS)) is not None:
        yield Found(time, "id")
    api_times = (time for answer in view.api_messages if (time := sane_ms(answer.ts)) is not None)
    if (time := next(api_times, None)) is not None:
        yield Found(time, API_FILE)
    yield from _file_times(view)


def _file_times(view: TaskView) -> Iterator[Found]:
    files = view.source.files
    for file in (files.ui, files.api, files.item):
        if file.stamp is not None:
            time = file.stamp[0] // _NS_PER_MS
            yield Found(time, file.name, "the file's modification time, for want of anything better")


def _newest(values: Sequence[Any]) -> int | None:
    """Find the newest time; when all are credible, as in most files, without a look at each."""
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
