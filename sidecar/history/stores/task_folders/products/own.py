"""The sidecar itself: its transcripts have the layout of a task folder."""

from typing import Final

from sidecar.history.stores.task_folders.products.product import Marks, TaskFolderProduct

SIDECAR: Final = TaskFolderProduct(
    name="sidecar", marks=Marks(entry=lambda entry: entry.product == "sidecar")
)
