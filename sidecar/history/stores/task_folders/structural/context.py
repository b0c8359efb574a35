"""Find where and how a task worked: mode, model, workspace, relatives."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from sidecar.api.stored.tasks import Mode
from sidecar.history.stored.parsing import value_of
from sidecar.history.stored.texts import one_line
from sidecar.history.stores.task_folders.files import API_FILE, METADATA_FILE, UI_FILE
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.products.roo import ROO_INDEX
from sidecar.history.stores.task_folders.structural.environment import newest_first, oldest_first
from sidecar.history.stores.task_folders.structural.view import Sourced, TaskView

_MODE_NAMES: Final = {slug: name for product in PRODUCTS for slug, name in product.modes.values()}
HINT_SOURCE: Final = ROO_INDEX
"""Where a hint was read."""
_SEARCHED: Final = 1_000
"""How many environment blocks are searched: each one that a product writes has mode and workspace."""
_MODE_SEARCH: Final = 200
"""How many are searched for the name that belongs to a recorded slug."""


def mode(view: TaskView) -> Sourced | None:
    """Find the task's own mode: list entry, newest environment block, notes on messages, hints."""
    recorded = _word(view.entry.mode) if view.entry is not None else None
    if recorded is not None:
        return Sourced(Mode(current=recorded, name=_name_of(view, recorded)), view.entry_source)
    for environment in islice(newest_first(view), _SEARCHED):
        slug, name = environment.mode
        if slug is not None:
            return Sourced(Mode(current=slug, name=name), environment.source)
    for noted, source in _noted(view, "mode"):
        return Sourced(Mode(current=noted, name=_MODE_NAMES.get(noted)), source)
    hinted = _word(view.hint.mode) if view.hint is not None else None
    return Sourced(Mode(current=hinted), HINT_SOURCE, "a hint") if hinted else None


def model(view: TaskView) -> Sourced | None:
    """Find the model used last: list entry, messages, environment block, metadata."""
    if view.entry is not None and (listed := _word(view.entry.model_id)):
        return Sourced(listed, view.entry_source)
    noted = next(_noted(view, "model_id"), None)
    if noted is not None and noted[1] != METADATA_FILE:
        return Sourced(*noted)
    for environment in islice(newest_first(view), _SEARCHED):
        if (stated := environment.model) is not None:
            return Sourced(stated, environment.source)
    return Sourced(*noted) if noted is not None else None


def workspace(view: TaskView) -> Sourced | None:
    """Find the directory a task worked in: list entry, first environment block that names one, the index."""
    entry = view.entry
    if entry is not None and (listed := _word(entry.workspace)):
        return Sourced(listed, view.entry_source)
    for environment in islice(oldest_first(view), _SEARCHED):
        if directory := environment.workspace:
            return Sourced(directory, environment.source)
    if entry is not None and (listed := _word(entry.cwd_on_task_initialization)):
        return Sourced(listed, view.entry_source)
    hinted = _word(view.hint.workspace) if view.hint is not None else None
    return Sourced(hinted, HINT_SOURCE, "a hint") if hinted else None


def relatives(view: TaskView) -> tuple[str | None, str | None, list[str] | None]:
    """Read the IDs of the parent, the root and the children."""
    entry = view.entry or view.hint
    if entry is None:
        return None, None, None
    children = entry.child_ids if isinstance(entry.child_ids, list) else []
    ids = [child for child in children if isinstance(child, str)]
    return _word(entry.parent_task_id), _word(entry.root_task_id), ids or None


def session(view: TaskView) -> str | None:
    """Return the session in the store of the agent that a run launched."""
    recorded = view.entry.session_task_id if view.entry is not None else None
    return recorded if isinstance(recorded, str) and recorded else None


def favorite(view: TaskView) -> bool:
    """Return whether the list entry marks the task as a favorite."""
    return view.entry is not None and view.entry.is_favorited is True


def _name_of(view: TaskView, slug: str) -> str | None:
    for environment in islice(newest_first(view), _MODE_SEARCH):
        found, name = environment.mode
        if found == slug:
            return name
    return _MODE_NAMES.get(slug)


def _noted(view: TaskView, field: str) -> Iterator[tuple[str, str]]:
    """Yield what a product noted on its messages and in its metadata, newest first."""
    camel = "modelId" if field == "model_id" else field
    api_notes = [message.model_info for message in view.api_messages]
    for notes, source in ((view.ui_notes, UI_FILE), (api_notes, API_FILE)):
        if any(notes):
            infos = (value_of(note) for note in reversed(notes) if note)
            info = next((info for info in infos if isinstance(info, dict) and _word(info.get(camel))), None)
            if info is not None:
                yield info[camel], source
    used = view.metadata.model_usage if view.metadata is not None else None
    for record in reversed(used) if isinstance(used, list) else ():
        if isinstance(record, dict) and (word := _word(record.get(field))):
            yield word, METADATA_FILE
            break


def _word(value: Any) -> str | None:
    return one_line(value) or None if isinstance(value, str) else None
