"""Remove secrets, home directories and user names from texts. This helps but cannot promise to find all."""

from sidecar.history.export.redaction.redactor import Redactor

__all__ = ["Redactor"]
