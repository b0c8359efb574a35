"""Roo Code, with its command line. Zoo and Kilo descend from it and share most of its properties."""

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

ROO_INDEX: Final = "tasks/_index.json"


def _data_folders(machine: "Machine") -> Iterator[DataFolder]:
    yield machine.home / ".vscode-mock" / "global-storage", "data of Roo's command line"


ROO: Final = TaskFolderProduct(
    name="roo",
    extension_ids=("rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly"),
    home_folders=(".vscode-mock",),
    storage_settings=("roo-cline.customStoragePath",),
    data_folders=_data_folders,
    marks=Marks(
        words=frozenset(
            {"checkpoint_saved", "condense_context", "user_edit_todos", "codebase_search_result"}
        ),
        weak_usage=lambda usage: usage.api_protocol is not None,
    ),
    # The index goes stale while a second window works.
    lists=(TaskList(ROO_INDEX, "entries", is_hint=True),),
    leftovers=r"\.(?P<file>.+)\.(?P<kind>new|bak)_(?P<ms>\d{1,15})_\w+\.tmp",
    says={
        "checkpoint_saved": ("system", "checkpoint"),
        "codebase_search_result": ("system", "tool_result"),
        "condense_context": ("system", "summary"),
        "condense_context_error": ("system", "error"),
        "rooignore_error": ("system", "error"),
    },
    tools=FileTools(
        shown={"appliedDiff": "edited", "insertContent": "edited", "searchAndReplace": "edited"},
        called={
            "apply_diff": "edited",
            "insert_content": "edited",
            "search_and_replace": "edited",
            "search_replace": "edited",
            "edit_file": "edited",
            "edit": "edited",
        },
        recorded={"roo_edited": "edited"},
        dates=("roo_read_date", "roo_edit_date"),
    ),
)
