"""The question that `list --json` answers, and the file that keeps the answer."""

import os
import sys
import time

from sidecar import __version__
from sidecar.cli.answers.evidence import SUPPORTED, Evidence
from sidecar.user_dirs import user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sidecar.cli.answers.evidence import Place

FOLDER = "lists"
"""The folder of the answers in the cache directory."""
_CACHE = "SIDECAR_CACHE_DIR"
_CLOCK = "SIDECAR_NOW_MS"
_IRRELEVANT = (b"_", b"OLDPWD", b"PWD", b"SHLVL")
"""Variables that differ between shells but do not affect the answer."""


class Question:
    """A list in JSON that goes to a file or a pipe; `path` is the file with its answer.

    `now` is the time in ms. `seen` are the places of an earlier answer and what was found there, before
    anything else was read.
    """

    def __init__(self, path: str, now: int) -> None:
        self.path = path
        self.now = now
        self.is_busy = False
        """Whether a session that changed before has changed again just now."""
        self.seen: tuple[list[Place], Evidence] | None = None


def question_of(arguments: list[str]) -> Question | None:
    """Return the question that a command asks; None for one whose answers are not kept."""
    if arguments[:1] != ["list"] or "--json" not in arguments or not SUPPORTED:
        return None
    if sys.stdout is None or sys.stderr is None or os.isatty(1):  # a terminal gets some characters escaped
        return None
    try:
        now = int(os.environ.get(_CLOCK) or time.time_ns() // 1_000_000)
        name = _digest(arguments)
    except (OSError, ValueError):
        return None
    cache = os.environ.get(_CACHE)
    folder = os.path.abspath(cache) if cache else user_dir("cache")
    return Question(os.path.join(folder, FOLDER, name), now)


def _digest(arguments: list[str]) -> str:
    """Return a digest of what determines the answer besides files: call, environment and program."""
    from _blake2 import blake2b

    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    program = [__version__, sys.version, package, str(os.geteuid()), os.getcwd(), *arguments]
    environment = (b"=".join(each) for each in os.environb.items() if each[0] not in _IRRELEVANT)
    parts = [*map(os.fsencode, program), b"", *sorted(environment)]
    return blake2b(b"\0".join(parts), digest_size=16).hexdigest()
