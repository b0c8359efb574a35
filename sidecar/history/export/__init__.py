"""A whole stored task as one text: Markdown to read, JSON to process, with secrets taken out if asked."""

from sidecar.history.export.document import export_task
from sidecar.history.export.redaction import PATTERNS, Redactor

__all__ = ["PATTERNS", "Redactor", "export_task"]
