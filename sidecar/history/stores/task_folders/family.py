"""The family of products that keep each task in its own folder, `<root>/tasks/<id>/`."""

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product
from sidecar.history.stores.contract import Place, Root
from sidecar.history.stores.task_folders.files import tasks_path
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.store import TaskFolderStore

if TYPE_CHECKING:
    from sidecar.history.stores.editors import Machine

_SEPARATOR: Final = re.compile(r"[/\\]")
_FOLDERS: Final[dict[str, Product]] = {
    folder: product.name for product in PRODUCTS for folder in (*product.extension_ids, *product.home_folders)
}


class TaskFolders:
    """Find and open roots of task folders; see `StoreFamily`."""

    def recognizes(self, root: str) -> bool:
        """Return whether there is a folder `tasks`."""
        try:
            return os.path.isdir(tasks_path(root))  # noqa: PTH112 (roots keep texts)
        except OSError:
            return False

    def product_of_path(self, path: str) -> Product | None:
        """Return the product whose folder is in a path; the last folder wins."""
        for part in reversed(_SEPARATOR.split(path)):
            if product := _FOLDERS.get(part.casefold()):
                return product
        return None

    def places(self, machine: "Machine") -> Iterator[Place]:
        """Yield the extensions' folders in all editors, custom folders, and those outside of editors."""
        from sidecar.history.stores.editors import settings_files, user_folders
        from sidecar.history.stores.settings_file import custom_paths, read_settings

        extensions = [name for product in PRODUCTS for name in product.extension_ids]
        settings = {name for product in PRODUCTS for name in product.storage_settings}
        for user in user_folders(machine):
            for extension in extensions:
                yield Place(user / "globalStorage" / extension, f"data of {extension}")
            for file in settings_files(user):
                for path in custom_paths(read_settings(file), settings):
                    yield Place(path, f"a custom storage path in {file}")
        for product in PRODUCTS:
            for folder, content in product.data_folders(machine):
                yield Place(folder, content)

    def open(self, root: Root) -> TaskFolderStore:
        """Open the store of a root."""
        return TaskFolderStore(root)


TASK_FOLDERS: Final = TaskFolders()
