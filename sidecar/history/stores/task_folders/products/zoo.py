"""Zoo, a descendant of Roo Code."""

from typing import TYPE_CHECKING, Final

from sidecar.history.stores.task_folders.products.product import Marks, TaskFolderProduct

if TYPE_CHECKING:
    from sidecar.history.stores.task_folders.records import ListEntry


def _is_in_entry(entry: "ListEntry") -> bool:
    """Return whether the status is one that only Zoo writes, and no other product wrote the entry."""
    others = entry.tool_protocol is not None or entry.cwd_on_task_initialization is not None
    return entry.status == "interrupted" and not others


ZOO: Final = TaskFolderProduct(
    name="zoo",
    extension_ids=("zoocodeorganization.zoo-code",),
    storage_settings=("zoo-code.customStoragePath",),
    marks=Marks(entry=_is_in_entry),
)
