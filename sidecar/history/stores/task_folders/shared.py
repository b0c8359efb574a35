"""Read tasks for both rule sets at once: each uses the messages that the other decodes anyway.

The guide decodes the texts of the API history, the structural rules the UI messages.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.guide.extract import GuideFields, extract_from
from sidecar.history.stores.task_folders.guide.messages import MessageFile, read_api, read_ui, ui_of
from sidecar.history.stores.task_folders.structural.view import TaskSource, TaskView
from sidecar.javascript.values import JavaScriptThrow

_DROPPED: Final = (JavaScriptThrow, RecursionError)
"""What makes the guide drop a task; the latter for what is nested too deep to print."""


class SharedTask(NamedTuple):
    """A task that the guide lists, as both rule sets see it."""

    view: TaskView
    fields: GuideFields


def read_shared(sources: Sequence[TaskSource]) -> list[SharedTask | None]:
    """Read tasks under the guide's rules, and for the structural ones; None where the guide drops a task.

    Each step is taken for all tasks before the next, as in the structural rules.
    """
    histories = [_history(source) for source in sources]
    views = [
        TaskView(source, [*api.messages] if api.parsed is None else None) if api is not None else None
        for source, api in zip(sources, histories, strict=True)
    ]
    return [
        _shared(view, api) if view is not None and api is not None else None
        for view, api in zip(views, histories, strict=True)
    ]


def _history(source: TaskSource) -> MessageFile | None:
    """Read the API history; None where the guide drops the task for it, or for a missing file."""
    data = _present(source.files.api)
    if data is None or _present(source.files.ui) is None:
        return None
    try:
        return read_api(data)
    except _DROPPED:
        return None


def _shared(view: TaskView, api: MessageFile) -> SharedTask | None:
    data, parsed = view.source.files.ui.data or b"", view.ui
    try:
        ui = ui_of(data, parsed.records) if parsed is not None and parsed.exact else read_ui(data)
        return SharedTask(view, extract_from(ui, api, view.now))
    except _DROPPED:
        return None


def _present(file: StoredFile) -> bytes | None:
    """Return the bytes of the file itself: the guide knows nothing of leftovers."""
    return file.data if file.stamp is not None else None
