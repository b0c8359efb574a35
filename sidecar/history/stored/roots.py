"""Roots: where stored tasks lie, and whose they are."""

import contextlib
import os
from collections.abc import Container
from pathlib import Path
from typing import Final

import msgspec

from sidecar.api.errors import InvalidParams
from sidecar.api.tasks import Product
from sidecar.history.stored.products import is_epoch_id, product_of_path

CLINE_LIST: Final = "state/taskHistory.json"
ROO_INDEX: Final = "tasks/_index.json"
KILO_STATE: Final = "global-state.json"
LISTS: Final = (CLINE_LIST, ROO_INDEX, KILO_STATE)
"""Where products keep lists of tasks beside the folders, relative to the root."""


class Root(msgspec.Struct, frozen=True):
    """An absolute path that holds `tasks/`; `read_only` marks a foreign one, `product` its owner if known."""

    path: str
    read_only: bool = True
    product: Product | None = None

    @property
    def tasks(self) -> str:
        """The folder of the tasks; it need not exist."""
        return f"{self.path}{os.sep}tasks"

    def folder(self, task_id: str) -> str:
        """The folder of one task; it need not exist."""
        return task_folder(self.path, task_id)

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists of tasks that a product may keep: Cline's, Roo's, and that of Kilo's command line."""
        return tuple(f"{self.path}{os.sep}{place.replace('/', os.sep)}" for place in LISTS)


def task_folder(root: str, task_id: str) -> str:
    """The folder of one task under the root at this path."""
    return f"{root}{os.sep}tasks{os.sep}{task_id}"


def describe_root(path: str | os.PathLike[str], read_only: bool = True) -> Root:
    """Make the root of `path`, absolute but with its links kept: users know it by that name."""
    absolute = str(Path(path).expanduser().absolute())
    return Root(absolute, read_only, product_of_path(absolute))


def known_path(path: str, known: Container[str], member: str) -> str:
    """Return the path in `known` that a client means by `path`; InvalidParams naming the member if none."""
    with contextlib.suppress(RuntimeError):  # the home of a user who does not exist
        path = describe_root(path).path
    if path not in known:
        raise InvalidParams(f"{member}: {path} is not a root of this server; name it at initialize")
    return path


def writer_of(root: Root, task_id: str) -> Product | None:
    """Name the product that wrote a task without opening it, where the root or the id's form tells."""
    return root.product or ("cline" if is_epoch_id(task_id) else None)
