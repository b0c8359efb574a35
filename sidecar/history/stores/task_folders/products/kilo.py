"""Kilo before version 7, with its command line. Later versions use another format."""

from collections.abc import Iterator, Mapping
from pathlib import Path
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
    from sidecar.history.stores.task_folders.products.successors import UnsupportedStore

KILO_STATE: Final = "global-state.json"
"""The state of the command line, with its list of tasks."""
_SUCCESSOR: Final = "Kilo 7 or newer"


def _data_folders(machine: "Machine") -> Iterator[DataFolder]:
    yield machine.home / ".kilocode" / "cli" / "global", "data of Kilo's command line"


def _successor_homes(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield Kilo's folder in the XDG data directory, and the database that a variable names."""
    yield Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "kilo"
    if database := environ.get("KILO_DB"):
        yield Path(database)


def _successors(base: Path) -> "Iterator[UnsupportedStore]":
    """Find the files of the first Kilo 7, `storage/session/<project>/<id>.json`, and later databases.

    All sessions are in one SQLite file since 7.2; even to read it would leave files next to it.
    """
    from sidecar.history.stores.task_folders.products.successors import MOST, UnsupportedStore, names

    sessions, count = base / "storage" / "session", 0
    for project in names(sessions):
        count += sum(name.endswith(".json") for name in names(sessions / project))
        if count >= MOST:
            break
    if count:
        yield UnsupportedStore(str(sessions), "kilo", _SUCCESSOR, count)
    for database in (base, base / "kilo.db"):
        if database.is_file():
            yield UnsupportedStore(str(database), "kilo", _SUCCESSOR, None)


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
    successors=_successors,
    successor_homes=_successor_homes,
)
