"""Mark the private Python environment that a Host runs in, so that installers leave it as it is."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER = "in-use"


@contextmanager
def in_use(root: str) -> Iterator[None]:
    """Keep the file `in-use/<pid>`, which holds the path of the root, in the virtual environment.

    Does nothing outside a virtual environment, or where the environment cannot be written.
    """
    mark = _write_mark(Path(sys.prefix), root) if sys.prefix != sys.base_prefix else None
    try:
        yield
    finally:
        if mark is not None:
            with suppress(OSError):
                mark.unlink()


def _write_mark(environment: Path, root: str) -> Path | None:
    mark = environment / FOLDER / str(os.getpid())
    try:
        mark.parent.mkdir(exist_ok=True)
        mark.write_bytes(os.fsencode(root))
    except OSError:
        return None
    return mark
