"""Tell the product that wrote a task: by the root's path, else by marks in the files, else by the id."""

import re
from collections.abc import Collection
from typing import Any, Final

from msgspec import Raw

from sidecar.api.tasks import Product
from sidecar.history.stored.products.ids import is_epoch_id
from sidecar.history.stored.records import ListEntry, TaskMetadata, Usage

EXTENSION_IDS: Final[dict[str, Product]] = {
    "rooveterinaryinc.roo-cline": "roo",
    "rooveterinaryinc.roo-code-nightly": "roo",
    "zoocodeorganization.zoo-code": "zoo",
    "kilocode.kilo-code": "kilo",
    "saoudrizwan.claude-dev": "cline",
    ".vscode-mock": "roo",  # the storage of Roo's command line
    ".kilocode": "kilo",  # Kilo's command line before 7
    ".cline": "cline",  # Cline's command line and JetBrains plug-in
}
"""The folder names under `globalStorage` by which a root tells its owner."""

_SEPARATOR: Final = re.compile(r"[/\\]")
_CLINE_SAYS: Final = frozenset(
    {"task", "checkpoint_created", "task_progress", "deleted_api_reqs", "subagent_usage"}
)
_ROO_SAYS: Final = frozenset(
    {"checkpoint_saved", "condense_context", "user_edit_todos", "codebase_search_result"}
)
_SAYS: Final = _CLINE_SAYS | _ROO_SAYS


def product_of_path(path: str) -> Product | None:
    """Find an extension's id among the parts of a path, the last one first."""
    for part in reversed(_SEPARATOR.split(path)):
        if product := EXTENSION_IDS.get(part.casefold()):
            return product
    return None


def detect_product(
    task_id: str,
    entry: ListEntry | None,
    metadata: TaskMetadata | None,
    notes: Collection[Raw],
    kinds: Collection[str | None],
    usages: Collection[Usage],
) -> tuple[Product, str]:
    """Name the product of a task whose root tells nothing, and the kind of mark that gave it away.

    `notes` are the `modelInfo` of the UI messages and `kinds` their kinds, which the caller has at hand.
    """
    if entry is not None and (product := _by_entry(entry)):
        return product, "list entry"
    for usage in usages:
        if usage.inference_provider is not None or usage.usage_missing is not None:
            return "kilo", "usage records"
    if metadata is not None and (_is_set(metadata.model_usage) or _is_set(metadata.environment_history)):
        return "cline", "task_metadata.json"
    if marked := _by_messages(notes, kinds):
        return marked, "ui_messages.json"
    for usage in usages:
        if usage.api_protocol is not None:
            return "roo", "usage records"
    return ("cline" if is_epoch_id(task_id) else "roo"), "the form of the id"


def _by_messages(notes: Collection[Raw], kinds: Collection[str | None]) -> Product | None:
    """Heed the first mark; where all are of one product, as mostly, without a look at each message."""
    cline = any(notes) or not _CLINE_SAYS.isdisjoint(kinds)
    roo = not _ROO_SAYS.isdisjoint(kinds)
    if cline and roo:
        marks = (
            note or kind in _CLINE_SAYS
            for note, kind in zip(notes, kinds, strict=True)
            if note or kind in _SAYS
        )
        return "cline" if next(marks) else "roo"
    return "cline" if cline else "roo" if roo else None


def _by_entry(entry: ListEntry) -> Product | None:
    if entry.product == "sidecar":
        return "sidecar"
    if entry.tool_protocol is not None:
        return "kilo"
    if entry.cwd_on_task_initialization is not None:
        return "cline"
    return "zoo" if entry.status == "interrupted" else None


def _is_set(value: Any) -> bool:
    return value is not None
