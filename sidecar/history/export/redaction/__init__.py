"""Redaction: secrets, home directories and user names taken out of texts. A help, not a promise."""

from sidecar.history.export.redaction.redactor import Redactor

__all__ = ["Redactor"]
