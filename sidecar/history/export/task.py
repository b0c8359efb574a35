"""Export one stored task: in pieces for a file, or as one text for an answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.export import ExportFormat, ExportResult
from sidecar.api.stored.tasks import StoredMessage
from sidecar.history.export.document import export_task
from sidecar.history.export.redaction import Redactor
from sidecar.history.stores.contract import Kind
from sidecar.history.task_history import TaskHistory

MAX_EXPORT: Final = 10_000_000
"""The longest text in an answer, in characters; JSON escapes cannot exceed the frame limit."""


def make_redactor() -> Redactor:
    """Create a redactor that knows this user's home directory in any form."""
    return Redactor(str(Path.home()))


def export_pieces(
    history: TaskHistory,
    task_id: str,
    form: ExportFormat,
    redactor: Redactor | None,
    root: str | None = None,
) -> Iterator[str]:
    """Yield a whole task as a document, piece by piece. Raises as `TaskHistory.messages` does."""
    found, name = history.resolve(task_id, root)
    task, provenance = history.get(name, found.path)
    kind: Kind = "ui" if task.ui_message_count else "api"

    def messages() -> Iterator[StoredMessage]:
        with history.store(found.path).open_messages(name, kind) as opened:
            yield from opened.since()

    return export_task(form, task, provenance, messages, redactor)


def export(
    history: TaskHistory,
    task_id: str,
    form: ExportFormat,
    redact: bool = False,
    root: str | None = None,
) -> ExportResult:
    """Return a whole task as one text. Raises as `export_pieces`, and StorageError beyond `MAX_EXPORT`."""
    redactor = make_redactor() if redact else None
    pieces, size = [], 0
    for piece in export_pieces(history, task_id, form, redactor, root):
        size += len(piece)
        if size > MAX_EXPORT:
            raise StorageError(
                f"the export of {task_id} is longer than {MAX_EXPORT:,} characters; use the command `export`",
                reason="too large for one answer",
            )
        pieces.append(piece)
    return ExportResult(text="".join(pieces), redactions=redactor.report if redactor else None)
