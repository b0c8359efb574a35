"""The `structural` rules: accurate values, each with its source.

Pure: the same bytes and the same `now` give the same row, and everything here can cross a process border.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Mode, Product, Provenance, TaskInfo
from sidecar.history.stored.parsing import Parsed
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.status_by_age import by_age
from sidecar.history.stores.task_folders.files import API_FILE, UI_FILE
from sidecar.history.stores.task_folders.products.detection import detect_product
from sidecar.history.stores.task_folders.records import UiMessage
from sidecar.history.stores.task_folders.structural import context, titles
from sidecar.history.stores.task_folders.structural.environment import newest_first
from sidecar.history.stores.task_folders.structural.status import Ending, ending
from sidecar.history.stores.task_folders.structural.times import created, last_activity
from sidecar.history.stores.task_folders.structural.usage import token_usage
from sidecar.history.stores.task_folders.structural.view import Sourced, TaskSource, TaskView

_NO_JSON: Final = frozenset({"cut", "strayTail", "notMessages", "padding", "byteOrderMark", "wrapped"})
"""Problems of files that the guide cannot read either."""

Finder = Callable[[TaskView], Sourced | None]
_FINDERS: Final[dict[str, Finder]] = {
    "title": titles.title,
    "createdAt": created,
    "lastActivity": last_activity,
    "mode": context.mode,
    "tokenUsage": token_usage,
    "workspaceDir": context.workspace,
    "model": context.model,
}
_NOT_IN_GUIDE: Final = {**dict.fromkeys(_FINDERS, lambda _: None), "model": context.model}
"""The guide has its own rules for the other fields."""

Sources = dict[str, Sourced | None]
"""What was found for each field, and where."""
Found = tuple[Sourced | None, ...]


class Extract(msgspec.Struct, frozen=True):
    """A task as the structural rules see it; `ages_from` is set where the status is a matter of age.

    `found` are the values of `_FINDERS`. The outcome holds before the time `until`, in ms.
    """

    info: TaskInfo
    view: TaskView
    ended: Ending
    product: Sourced
    found: Found
    ages_from: int | float | None

    @property
    def until(self) -> int:
        """Return the time in ms before which the outcome holds."""
        return self.ended.until

    def sources(self) -> Sources:
        """Collect what was found for each field, and where: only for a task that is opened."""
        info, ended = self.info, self.ended
        found = dict(zip(_FINDERS, self.found, strict=True))
        if info.token_usage is not None and info.token_usage.cost is not None:
            found["cost"] = found["tokenUsage"]
        found["product"] = self.product
        found["status"] = found["outcome"] = Sourced(ended.status, ended.source, ended.note)
        return found | _listed(self.view, info)


def extract(sources: Sequence[TaskSource]) -> list[Extract]:
    """Turn tasks' files into their rows. Never raises on any content.

    Each step is taken for all tasks before the next: its code then stays in the processor's cache, which
    saves a quarter of the time.
    """
    views = [TaskView(source) for source in sources]
    looks = zip(views, _endings(views), _products(views), _found(views, _FINDERS), strict=True)
    return [_extract(*look) for look in looks]


def fields_not_in_guide(views: Sequence[TaskView]) -> list[tuple[TaskInfo, int]]:
    """Return what the guide does not define, and the time in ms before which it holds. Never raises."""
    looks = zip(views, _endings(views), _products(views), _found(views, _NOT_IN_GUIDE), strict=True)
    return [(_row(view, ended, product.value, found), ended.until) for view, ended, product, found in looks]


def _extract(view: TaskView, ended: Ending, product: Sourced, found: Found) -> Extract:
    info = _row(view, ended, product.value, found)
    active = info.last_activity if ended.status is None and isinstance(info.last_activity, int) else None
    return Extract(info, view, ended, product, found, active)


def provenance(sources: Sources, info: TaskInfo) -> dict[str, Provenance]:
    """Return where the value of each field was read, for one task that is opened, not for those of a list."""
    counted = {
        "duration": (info.duration, "createdAt and lastActivity"),
        "messageCount": (info.message_count, API_FILE),
        "uiMessageCount": (info.ui_message_count, UI_FILE),
        "sizeBytes": (info.size_bytes, f"{UI_FILE} and {API_FILE}"),
    }
    sourced = {
        name: Provenance(source=source) for name, (value, source) in counted.items() if value is not None
    }
    read = {
        name: Provenance(source=found.source, note=found.note)
        for name, found in sources.items()
        if found is not None
    }
    return sourced | read


def is_plain(view: TaskView) -> bool:
    """Return whether nothing structural is there: no list entry, no message with type, say or ask.

    Without any UI message an environment block in the API history is structure too.
    """
    if view.entry is not None or view.hint is not None or view.ui is None or view.api is None:
        return False
    if view.ui.records and not _is_bare(view.ui.records[0]):
        return False
    if any(found.code in _NO_JSON for found in view.ui.problems + view.api.problems):
        return False
    if not view.ui.records:
        return bool(view.api.records) and next(newest_first(view), None) is None
    return all(map(_is_bare, view.ui.records))


def _is_bare(message: UiMessage) -> bool:
    return message.type is None and message.say is None and message.ask is None


def damaged_row(source: TaskSource) -> TaskInfo:
    """Create the row of a task that broke the rules: it is listed with a problem."""
    internal = problem("internal", "the task could not be read; the log of the sidecar says why")
    return TaskInfo(
        id=source.task_id,
        title=titles.NOT_READ,
        status="unknown",
        mode=Mode(),
        outcome="unknown",
        root=source.root,
        product=source.product or detect_product(source.task_id, None, None, (), (), ())[0],
        size_bytes=_size(source.files.ui) + _size(source.files.api),
        problems=[internal],
    )


def _endings(views: Sequence[TaskView]) -> list[Ending]:
    return [ending(view) for view in views]


def _products(views: Sequence[TaskView]) -> list[Sourced]:
    return [_product(view) for view in views]


def _found(views: Sequence[TaskView], finders: Mapping[str, Finder]) -> Iterator[Found]:
    """Find each field in all tasks; the result is by task, in the order of the finders."""
    return zip(*[[find(view) for view in views] for find in finders.values()], strict=True)


def _row(view: TaskView, ended: Ending, product: Product, found: Found) -> TaskInfo:
    """Make the row; `found` has the values in the order in which they are unpacked here."""
    values: list[Any] = [it.value if it is not None else None for it in found]
    size = _size(view.source.files.ui) + _size(view.source.files.api)
    title, began, active, mode, usage, workspace, model = values
    parent, root, children = context.relatives(view)
    return TaskInfo(
        id=view.source.task_id,
        title=title,
        status=ended.status or by_age(active, view.now),
        created_at=began,
        last_activity=active,
        duration=active - began if began is not None and active is not None else None,
        mode=mode or Mode(),
        token_usage=usage,
        message_count=_api_length(view),
        workspace_dir=workspace,
        outcome=ended.outcome,
        root=view.source.root,
        product=product,
        model=model,
        ui_message_count=_length(view.ui),
        size_bytes=size,
        parent_id=parent,
        root_id=root,
        child_ids=children,
        favorite=context.favorite(view),
        session_task_id=context.session(view) if product == "sidecar" else None,
        problems=view.problems,
    )


def _listed(view: TaskView, info: TaskInfo) -> Sources:
    """Return the fields that only list entries have, as far as this task's entry has them."""
    if view.entry is None and view.hint is None:
        return {}
    source = view.entry_source if view.entry is not None else context.HINT_SOURCE
    values = {
        "parentId": info.parent_id,
        "rootId": info.root_id,
        "childIds": info.child_ids,
        "sessionTaskId": info.session_task_id,
        "favorite": info.favorite if view.entry is not None else None,
    }
    return {name: Sourced(value, source) for name, value in values.items() if value is not None}


def _product(view: TaskView) -> Sourced:
    if view.source.product is not None:
        return Sourced(view.source.product, "the root's path")
    usages = view.usages.values()
    return Sourced(
        *detect_product(view.source.task_id, view.entry, view.metadata, view.ui_notes, view.kinds, usages)
    )


def _api_length(view: TaskView) -> int | None:
    """Count the API file's messages. It is absent, and has none, until the first request to a model."""
    absent = view.source.files.api.absent
    return 0 if absent and view.ui is not None and not view.asked_a_model() else _length(view.api)


def _length(parsed: Parsed[Any] | None) -> int | None:
    """Count a file's messages; None if it is missing or cannot be read."""
    if parsed is None:
        return None
    if parsed.problems and any(it.code == "notMessages" for it in parsed.problems):
        return None
    return parsed.total


def _size(file: StoredFile) -> int:
    if file.data is not None:
        return len(file.data)
    return file.stamp[1] if file.stamp is not None else 0
