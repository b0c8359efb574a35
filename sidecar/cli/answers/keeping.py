"""Keep the answer to a question, with everything that it depends on."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sidecar.cli.answers import answer_file
from sidecar.cli.answers.answer_file import Answer
from sidecar.cli.answers.evidence import Evidence, Place, TooMany
from sidecar.cli.answers.question import Question

_log = logging.getLogger(__name__)

TICK_NS = 100_000_000
"""More than the resolution of file times. A file that changed since then could change again unnoticed."""
COARSE_NS = 2_000_000_000
"""The same for file systems that record whole seconds only."""
_PACKAGE = str(Path(__file__).parents[2])
_CODE = ("api", "history", "javascript")
"""The folders of the package whose code computes rows, even if not imported: the index has most rows."""
_DEEPEST = 8


def check(question: Question, roots: Callable[[], Sequence[Place] | None], settings: Path) -> Evidence | None:
    """Check everything that an answer will depend on, before the roots are read for it.

    `roots` recognizes the roots and returns their places. None if the answer cannot be kept.
    """
    if question.is_busy:
        return None
    started = time.time_ns()
    places = _all_places(roots, settings)
    if places is None:
        return None
    if question.seen is None or question.seen[0] != places:
        try:
            question.seen = places, Evidence(places)
        except TooMany:
            return None
        if _all_places(roots, settings) != places:  # the roots changed during the check
            return None
    evidence = question.seen[1]
    is_coarse = evidence.changed_at % 1_000_000_000 == 0
    return evidence if evidence.changed_at < started - (COARSE_NS if is_coarse else TICK_NS) else None


def keep(question: Question, evidence: Evidence, until: int, printed: bytes) -> None:
    """Keep what was printed, which is valid until the time `until`, in ms; errors are logged, not raised."""
    assert question.seen is not None, "it was checked"
    if question.now >= until or len(printed) > answer_file.MOST_BYTES:
        return
    places = question.seen[0]
    answer = Answer(places, evidence.newest, evidence.digest, question.now, until, printed)
    try:
        answer_file.write(question.path, answer)
    except OSError as error:
        _log.info("cannot keep the list in %s (%s); the next list is read again", question.path, error)


def _all_places(roots: Callable[[], Sequence[Place] | None], settings: Path) -> list[Place] | None:
    found = roots()
    return None if found is None else [*found, (str(settings), 0), *_code()]


def _code() -> Iterator[Place]:
    """Return the places of this process's code, and of the code that computed the rows in the index."""
    yield from ((f"{_PACKAGE}{os.sep}{name}", _DEEPEST) for name in _CODE)
    standard = str(Path(os.__file__).parent) + os.sep
    packages = f"{standard}site-packages"
    for module in [*sys.modules.values()]:
        file = getattr(module, "__file__", None)
        if file and (not file.startswith(standard) or file.startswith(packages)):
            yield file, 0
