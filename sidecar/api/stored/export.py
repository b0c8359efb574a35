"""Exporting a stored task, with or without secrets."""

from typing import Literal

from sidecar.api.base import Params, Record

ExportFormat = Literal["markdown", "json"]


class ExportParams(Params, kw_only=True):
    """Parameters of `tasks/export`; `redact` replaces secrets and home directories.

    `root` is as in `tasks/get`.
    """

    task_id: str
    root: str | None = None
    format: ExportFormat
    """The format of the text."""
    redact: bool = False
    """Replace secrets, home directories and user names."""


class Redaction(Record, kw_only=True):
    """How often one kind of text was replaced."""

    kind: str
    """The kind of secret."""
    count: int
    """How often it was replaced."""


class ExportResult(Record, kw_only=True):
    """A whole task as one text; `redactions` is present if redaction was requested."""

    text: str
    """The whole document."""
    redactions: list[Redaction] | None = None
    """What was replaced. Present if `redact` was set."""
