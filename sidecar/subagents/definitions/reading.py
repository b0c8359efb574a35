"""The definition files of one directory: which there are, and what is in them."""

import hashlib
import os
import stat
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sidecar.api.subagents import DefinitionProblem
from sidecar.subagents.definitions.formats import Format
from sidecar.subagents.definitions.model import ParsedFile
from sidecar.subagents.definitions.parsing import MAX_BYTES, parse_definition
from sidecar.subagents.definitions.places import DefinitionDirectory
from sidecar.subagents.paths.real_path import real_path

MAX_FILES = 1_000
"""Files read in one directory: a mistaken path such as a home directory must not stall a listing."""
MAX_FOLDERS = 200
"""Folders looked into below one directory, for the same reason."""
Stamp = tuple[int, int, int]
"""What tells a file's versions apart: when it was changed, in ns, its size and its inode."""
_OUTSIDE = "is a link that leads out of the workspace, so it is not read; put the definition itself here"


def files_of(directory: DefinitionDirectory) -> tuple[list[Path], list[DefinitionProblem]]:
    """Return the definition files of a directory, sorted, and what is wrong with it. Blocking.

    Of a workspace's directory nothing is returned that lies outside the workspace, links followed.
    """
    if "\0" in str(directory.path):  # from settings that were sent as JSON
        return [], [problem(directory.path, "cannot be read: its name holds the character NUL")]
    if _leads_out(directory.path, directory.within):
        return [], [problem(directory.path, _OUTSIDE)]
    faults: list[OSError] = []
    walk = os.walk(directory.path, onerror=faults.append)  # links to folders are not followed, so it ends
    limit = MAX_FOLDERS if directory.format.recursive else 1
    folders = list(islice(walk, limit))
    entries = sorted(
        Path(folder, name)
        for folder, below, names in folders
        for name in (*names, *below)
        if directory.format.takes(name)
    )
    # Only a directory somebody named has to be there.
    problems = [
        problem(Path(error.filename), f"cannot be read: {error.strerror}")
        for error in faults
        if not isinstance(error, FileNotFoundError) or directory.level == "settings"
    ]
    if limit > 1 and next(walk, None) is not None:
        message = f"has more than {limit} folders in it; no definition is read in further ones"
        problems.append(problem(directory.path, message))
    if len(entries) > MAX_FILES:
        message = f"holds {len(entries)} definition files; only the first {MAX_FILES} by name are read"
        problems.append(problem(directory.path, message))
    entries = entries[:MAX_FILES]
    outside = [path for path in entries if path.is_symlink() and _leads_out(path, directory.within)]
    problems += [problem(path, _OUTSIDE) for path in outside]
    return [path for path in entries if path not in outside], problems


def _leads_out(path: Path, folder: Path | None) -> bool:
    """Tell whether a path, links followed, lies outside a folder; None bounds nothing."""
    if folder is None:
        return False
    real, root = real_path(path), real_path(folder)
    return real is None or root is None or not Path(real).is_relative_to(root)


def parse_file(path: Path, form: Format, known: tuple[Stamp, ParsedFile] | None) -> tuple[Stamp, ParsedFile]:
    """Return a file's stamp and what is in it, or `known` if that is its stamp; never raises. Blocking."""
    # Without O_NONBLOCK a FIFO named like a definition would hold the listing for ever.
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            stamp = stamp_of(status)
            if known is not None and known[0] == stamp:
                return known
            if not stat.S_ISREG(status.st_mode):
                return stamp, ParsedFile(None, [problem(path, "is not a regular file")])
            return stamp, _parsed(file.read(MAX_BYTES + 1), path, form)
    except (OSError, ValueError) as error:
        fault = problem(path, f"cannot be read: {getattr(error, 'strerror', None) or error}")
        return (-1, -1, -1), ParsedFile(None, [fault])


def _parsed(data: bytes, path: Path, form: Format) -> ParsedFile:
    definition, problems = parse_definition(data, str(path), form)
    if definition is None:
        return ParsedFile(None, problems)
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + data).hexdigest()
    return ParsedFile(replace(definition, digest=digest), problems)


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file by its status."""
    return status.st_mtime_ns, status.st_size, status.st_ino


def problem(path: Path, message: str) -> DefinitionProblem:
    """Return what is wrong with a whole file or directory."""
    return DefinitionProblem(path=str(path), message=message)
