"""Export a stored task as one text: Markdown to read or JSON to process, optionally without secrets."""

from sidecar.history.export.document import export, export_pieces, make_redactor

__all__ = ["export", "export_pieces", "make_redactor"]
