"""Resolve the paths that an agent names, unless agents or systems may read them differently."""

import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from sidecar.subagents.paths.real_path import real_path

MAX_PATHS = 200
"""How many paths of one question are resolved; more would delay all other requests."""
MAX_CHARS = 4_096
"""The longest path: PATH_MAX of Linux."""
MAX_DEPTH = 256
"""The most folders above a file."""

_IS_WINDOWS = os.name == "nt"
_DOUBTFUL = re.compile(
    r"^~"  # some agents read it as a home folder
    r"|\$[{(]|\$[A-Z_]{2}|%[A-Z_]{2,}%"  # variables
    r"|%(?:25)*(?:2e|2f|5c|00|c0|c1|2E|2F|5C|C0|C1)"  # encoded dots, slashes, backslashes and NUL
    r"|(?:^|/)(?:[. ]* [. ]*|\.{3,})(?:/|$)"  # dots and spaces, which some systems drop
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SLASHES = str.maketrans({"\u2044": "/", "\u2215": "/", "\u29f8": "/"})


def is_possible(path: str) -> bool:
    """Return whether a path is within the limits, and has neither a NUL nor a lone surrogate."""
    if len(path) > MAX_CHARS or path.count("/") > MAX_DEPTH:
        return False
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def is_certain(text: str) -> bool:
    """Return whether a path or pattern is free of variables, encodings and ambiguous letters."""
    if not is_possible(text) or not text.isprintable() or _DOUBTFUL.search(text):
        return False
    return _shape(text) == _shape(unicodedata.normalize("NFKC", text).translate(_SLASHES))


def follow(path: str, base: str) -> str | None:
    """Return the real path of a path relative to `base`, with links resolved. Blocking.

    Returns None if the path is ambiguous, impossible, too long or too deep, or has too many links.
    """
    scheme = _SCHEME.match(path)
    is_drive = _IS_WINDOWS and scheme is not None and len(scheme[0]) == 2
    if path != path.strip() or (scheme is not None and not is_drive) or not is_certain(path):
        return None
    if "\\" in path and not _IS_WINDOWS:
        return None
    return real_path(os.path.join(base, path))  # noqa: PTH118 (a Path drops "..")


def inside(paths: Sequence[str], workspace: Path) -> tuple[str, ...] | None:
    """Return the real paths relative to the workspace, with slashes. Blocking.

    Returns None if a path is outside of the workspace, and for no or more than MAX_PATHS paths.
    """
    root = real_path(workspace)
    if root is None or not paths or len(paths) > MAX_PATHS:
        return None
    real = [follow(path, root) for path in paths]
    return relative([path for path in real if path is not None], root) if None not in real else None


def relative(real: Sequence[str], root: str) -> tuple[str, ...] | None:
    """Return real paths relative to a folder, with slashes; None if one is outside."""
    try:
        return tuple(Path(path).relative_to(root).as_posix() for path in real)
    except ValueError:
        return None


def _shape(text: str) -> tuple[int, bool, list[str]]:
    """Return the features that decide where a path leads: slashes, a tilde, and parts of dots."""
    parts = text.split("/")
    return len(parts), text[:1] == "~", [part for part in parts if not part.strip(".")]
