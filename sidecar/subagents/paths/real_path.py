"""The only way to resolve links, with bounds because others write the links of a folder."""

import os

MAX_LINKS = 40
"""Links on the way to one file; the limit of Linux, which fails with ELOOP beyond it."""
MAX_STEPS = 2_000
"""Names read on the way to one file: a link may itself lead through thousands of them."""


def real_path(path: str | os.PathLike[str]) -> str | None:
    """Return the absolute path with all links resolved, whether or not the file exists. Blocking.

    Return None if the path has too many links or names, if it leads through a link below `/proc`, which
    each process reads differently, or if no file can have it.
    """
    try:
        if os.name == "nt":
            return os.path.realpath(path)
        return _followed(os.path.join(os.getcwd(), os.fspath(path)))  # noqa: PTH109, PTH118 (a Path drops "..")
    except (OSError, ValueError, RecursionError):  # no current directory, or the path has a NUL
        return None


def _followed(path: str) -> str | None:
    found, left, links = "/", path.split("/")[::-1], 0
    for _ in range(MAX_STEPS):
        if not left:
            return found
        name = left.pop()
        if name in ("", "."):
            continue
        if name == "..":
            found = os.path.dirname(found)  # noqa: PTH120
            continue
        here = os.path.join(found, name)  # noqa: PTH118
        try:
            target = os.readlink(here)  # noqa: PTH115
        except OSError:  # not a link, not there, or not readable
            found = here
            continue
        links += 1
        if links > MAX_LINKS or here.startswith("/proc/"):
            return None
        found = "/" if target.startswith("/") else found
        left += target.split("/")[::-1]
    return None
