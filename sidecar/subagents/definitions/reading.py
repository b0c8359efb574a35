"""Finds and reads the definition files of one directory."""

import hashlib
import os
import stat
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sidecar.api.runs.subagents import DefinitionProblem
from sidecar.subagents.definitions.formats import Format
from sidecar.subagents.definitions.model import ParsedFile
from sidecar.subagents.definitions.parsing import MAX_BYTES, parse_definition
from sidecar.subagents.definitions.places import DefinitionDirectory
from sidecar.subagents.paths.real_path import real_path

MAX_FILES = 1_000
"""Files read in one directory, so that a wrong path such as a home directory does not stall a listing."""
MAX_FOLDERS = 200
"""Folders searched below one directory, for the same reason."""
Stamp = tuple[int, int, int]
"""Identifies a version of a file: modification time in ns, size and inode."""
_OUTSIDE = "is a link that leads out of the workspace, so it is ignored; copy the definition itself here"


def files_of(directory: DefinitionDirectory) -> tuple[list[Path], list[DefinitionProblem]]:
    """Return the definition files of a directory, sorted, and its problems. Blocking.

    With a workspace's directory, files outside the workspace are left out, with links resolved.
    """
    if "\0" in str(directory.path):  # possible in settings sent as JSON
        return [], [problem(directory.path, "cannot be read: its name contains a NUL character")]
    if _leads_out(directory.path, directory.within):
        return [], [problem(directory.path, _OUTSIDE)]
    errors: list[OSError] = []

    def note(error: OSError) -> None:
        errors.append(error.with_traceback(None))  # a traceback would refer to this list in a cycle

    walk = os.walk(directory.path, onerror=note)  # links to folders are not followed, so it ends
    limit = MAX_FOLDERS if directory.format.recursive else 1
    folders = list(islice(walk, limit))
    entries = sorted(
        Path(folder, name)
        for folder, below, names in folders
        for name in (*names, *below)
        if directory.format.takes(name)
    )
    # Only a directory named in settings must exist.
    problems = [
        problem(Path(error.filename), f"cannot be read: {error.strerror}")
        for error in errors
        if not isinstance(error, FileNotFoundError) or directory.level == "settings"
    ]
    if limit > 1 and next(walk, None) is not None:
        message = f"contains more than {limit} folders; definitions in the rest are ignored"
        problems.append(problem(directory.path, message))
    if len(entries) > MAX_FILES:
        message = f"contains {len(entries)} definition files; only the first {MAX_FILES} by name are read"
        problems.append(problem(directory.path, message))
    entries = entries[:MAX_FILES]
    outside = [path for path in entries if path.is_symlink() and _leads_out(path, directory.within)]
    problems += [problem(path, _OUTSIDE) for path in outside]
    return [path for path in entries if path not in outside], problems


def _leads_out(path: Path, folder: Path | None) -> bool:
    """Return whether a path, with links resolved, is outside a folder; never if the folder is None."""
    if folder is None:
        return False
    real, root = real_path(path), real_path(folder)
    return real is None or root is None or not Path(real).is_relative_to(root)


def parse_file(path: Path, form: Format, known: tuple[Stamp, ParsedFile] | None) -> tuple[Stamp, ParsedFile]:
    """Return a file's stamp and content, or `known` if the stamp is unchanged; never raises. Blocking."""
    # Without O_NONBLOCK a FIFO named like a definition would block the listing forever.
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
        unreadable = problem(path, f"cannot be read: {getattr(error, 'strerror', None) or error}")
        return (-1, -1, -1), ParsedFile(None, [unreadable])


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
    """Return a problem of a whole file or directory."""
    return DefinitionProblem(path=str(path), message=message)
