"""Keep what `list --json` prints, so that the next call need not compute it again."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sidecar.app.settings import SettingsStore, default_config_path
from sidecar.cli import exits, options, output
from sidecar.cli.answers.question import Question
from sidecar.history import TaskHistory
from sidecar.history.listing.pages import ListPage
from sidecar.history.listing.selection import ListQuery

if TYPE_CHECKING:
    from sidecar.cli.answers.evidence import Evidence


class Answering:
    """Print a list in JSON, and keep it if it depends on nothing but known files and the time.

    Create it before the history is read for the list.
    """

    def __init__(
        self, history: TaskHistory, wanted: ListQuery, roots: tuple[Path, ...], store: SettingsStore
    ) -> None:
        self._history = history
        self._printed = b""
        self._question = _question_of(wanted, roots, store)
        self._evidence: Evidence | None = None
        # A first list takes long enough, and there may be none after it.
        if self._question is not None and history.is_indexed:
            from sidecar.cli.answers.keeping import check  # here, since most commands keep nothing

            self._evidence = check(self._question, history.evidence, default_config_path())

    def print(self, page: ListPage) -> None:
        """Print the list."""
        pieces = page.pieces()
        output.write_pieces(pieces)
        if self._evidence is not None:
            self._printed = b"".join(pieces) + b"\n"

    def keep(self, code: int) -> None:
        """Keep what was printed, unless messages were printed too."""
        if self._question is None or self._evidence is None:
            return
        if code == exits.DONE and not options.has_logged():
            from sidecar.cli.answers.keeping import keep

            until = self._history.settled_until(self._question.now)
            keep(self._question, self._evidence, until, self._printed)


def _question_of(wanted: ListQuery, roots: tuple[Path, ...], store: SettingsStore) -> Question | None:
    """Return what is asked for; None if the answer depends on more than files, options and the time."""
    context = click.get_current_context()
    question, given = context.find_root().obj, context.params
    if not isinstance(question, Question) or given["config"] is not None or given["log_level"] != "warning":
        return None
    finds_roots = not roots and store.current.history.auto_discover
    if wanted.query or wanted.rules != "structural" or wanted.estimate or finds_roots:
        return None
    return question
