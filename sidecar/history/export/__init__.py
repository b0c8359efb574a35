"""A whole stored task as one text: Markdown to read, JSON to process, with secrets taken out if asked."""

from sidecar.history.export.task import export, export_pieces, make_redactor

__all__ = ["export", "export_pieces", "make_redactor"]
