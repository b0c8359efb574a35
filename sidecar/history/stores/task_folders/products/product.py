"""The declaration of a product of the family; each product's module has one `TaskFolderProduct`."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from sidecar.api.stored.tasks import Product

if TYPE_CHECKING:
    from sidecar.api.stored.files import FileAction
    from sidecar.history.stores.editors import Machine
    from sidecar.history.stores.task_folders.records import ListEntry, TaskMetadata, Usage

# Every list of tasks imports these modules, so heavy imports are local.

DataFolder = tuple[Path, str]
"""A folder that may be a root, and what it holds."""
NO_MAPPING: Final[Mapping[str, str]] = {}


class TaskList(msgspec.Struct, frozen=True):
    """A list of tasks that a product keeps next to the task folders.

    `place` is its path relative to the root, with slashes. `member` names the array of entries in the file's
    object; without it the file is that array. The entries of a `is_hint` list may be stale.
    """

    place: str
    member: str | None = None
    is_hint: bool = False


class Marks(msgspec.Struct, frozen=True):
    """What only one product writes, by the file it is in.

    `words` are kinds of UI messages. `weak_usage` counts when nothing else was found.
    """

    entry: "Callable[[ListEntry], bool] | None" = None
    usage: "Callable[[Usage], bool] | None" = None
    metadata: "Callable[[TaskMetadata], bool] | None" = None
    words: frozenset[str] = frozenset()
    notes_models: bool = False
    """Whether it notes the model on UI messages, as `modelInfo`."""
    weak_usage: "Callable[[Usage], bool] | None" = None


class FileTools(msgspec.Struct, frozen=True):
    """The tools that work on files, as UI messages and as the model name them, and sources in metadata."""

    shown: "Mapping[str, FileAction]" = {}
    called: "Mapping[str, FileAction]" = {}
    recorded: "Mapping[str, FileAction]" = {}
    dates: tuple[str, ...] = ()
    """Members of a record in the metadata that hold a time in ms."""


def _nowhere(machine: "Machine") -> Iterator[DataFolder]:
    yield from ()


class TaskFolderProduct(msgspec.Struct, frozen=True):
    """The properties of one product that are not common to the family."""

    name: Product
    extension_ids: tuple[str, ...] = ()
    """Folders under an editor's `globalStorage`."""
    home_folders: tuple[str, ...] = ()
    """Other folders in whose path the product's name can be read."""
    storage_settings: tuple[str, ...] = ()
    """Editor settings that move the extension's tasks to another folder."""
    data_folders: "Callable[[Machine], Iterator[DataFolder]]" = _nowhere
    """Where it keeps tasks outside of editors."""
    marks: Marks = Marks()
    lists: tuple[TaskList, ...] = ()
    leftovers: str = ""
    """A pattern of the names that an interrupted save leaves; see `leftovers`."""
    former_names: Mapping[str, str] = NO_MAPPING
    """What a message file was called in earlier versions."""
    modes: Mapping[str, tuple[str, str]] = {}
    """Slug and name of a mode, by the first line of the mode's section in the environment block."""
    says: Mapping[str, tuple[str, str]] = {}
    """Role and kind of UI messages, by their `say`."""
    completion_flag: str = ""
    """What it appends to the text of a completion."""
    tools: FileTools = FileTools()
