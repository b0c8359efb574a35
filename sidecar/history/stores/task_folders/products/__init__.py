"""The products that write task folders: one module and one line here for each."""

from typing import Final

from sidecar.history.stores.task_folders.products.cline import CLINE
from sidecar.history.stores.task_folders.products.kilo import KILO
from sidecar.history.stores.task_folders.products.own import SIDECAR
from sidecar.history.stores.task_folders.products.product import TaskFolderProduct, TaskList
from sidecar.history.stores.task_folders.products.roo import ROO
from sidecar.history.stores.task_folders.products.zoo import ZOO

PRODUCTS: Final[tuple[TaskFolderProduct, ...]] = (SIDECAR, ROO, ZOO, KILO, CLINE)
"""In the order in which their marks in list entries count."""
LISTS: Final[tuple[TaskList, ...]] = tuple(each for product in PRODUCTS for each in product.lists)
"""All lists of tasks. Where two name a task, the later one counts."""

__all__ = ["LISTS", "PRODUCTS", "TaskFolderProduct", "TaskList"]
