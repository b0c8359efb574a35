"""Cline before version 4, with its command line and JetBrains plug-in."""

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

CLINE_LIST: Final = "state/taskHistory.json"


def _data_folders(machine: "Machine") -> Iterator[DataFolder]:
    base = machine.folder("CLINE_DIR", machine.home / ".cline")
    folder = machine.folder("CLINE_DATA_DIR", base / "data")
    yield folder, "data of Cline's command line and JetBrains plug-in"


CLINE: Final = TaskFolderProduct(
    name="cline",
    extension_ids=("saoudrizwan.claude-dev",),
    home_folders=(".cline",),
    data_folders=_data_folders,
    marks=Marks(
        entry=lambda entry: entry.cwd_on_task_initialization is not None,
        metadata=lambda metadata: (
            metadata.model_usage is not None or metadata.environment_history is not None
        ),
        words=frozenset(
            {"task", "checkpoint_created", "task_progress", "deleted_api_reqs", "subagent_usage"}
        ),
        notes_models=True,
    ),
    lists=(TaskList(CLINE_LIST),),
    leftovers=r"(?P<target>.+)\.tmp\.(?P<at>\d{1,15})\.\w+\.json",
    former_names={"ui_messages.json": "claude_messages.json"},  # until 2024
    modes={"ACT MODE": ("act", "Act"), "PLAN MODE": ("plan", "Plan")},
    says={
        "task": ("user", "text"),
        "checkpoint_created": ("system", "checkpoint"),
        "clineignore_error": ("system", "error"),
        "deleted_api_reqs": ("system", "request"),
        "subagent_usage": ("system", "request"),
    },
    completion_flag="HAS_CHANGES",  # when it changed files
    tools=FileTools(
        shown={"fileDeleted": "deleted"},
        called={"replace_in_file": "edited", "new_rule": "created"},
        recorded={"cline_edited": "edited"},
        dates=("cline_read_date", "cline_edit_date"),
    ),
)
