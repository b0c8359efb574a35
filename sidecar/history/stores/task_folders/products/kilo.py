"""Kilo before version 7, with its command line. Later versions use another format."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sidecar.history.stores.task_folders.products.product import (
    DataFolder,
    FileTools,
    Marks,
    TaskFolderProduct,
    TaskList,
)

if TYPE_CHECKING:
    from sidecar.history.stores.editors import Machine

KILO_STATE: Final = "global-state.json"
"""The state of the command line, with its list of tasks."""


def _data_folders(machine: "Machine") -> Iterator[DataFolder]:
    yield machine.home / ".kilocode" / "cli" / "global", "data of Kilo's command line"


KILO: Final = TaskFolderProduct(
    name="kilo",
    extension_ids=("kilocode.kilo-code",),
    home_folders=(".kilocode",),
    storage_settings=("kilo-code.customStoragePath",),
    data_folders=_data_folders,
    marks=Marks(
        entry=lambda entry: entry.tool_protocol is not None,
        usage=lambda usage: usage.inference_provider is not None or usage.usage_missing is not None,
    ),
    lists=(TaskList(KILO_STATE, "taskHistory"),),
    tools=FileTools(called={"delete_file": "deleted"}),
)
