"""The definitions of some directories: which there are, which one wins, and what is wrong with the rest."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidecar.api.errors import SubagentNotFound
from sidecar.api.subagents import DefinitionProblem, SubagentInfo, SubagentSource
from sidecar.subagents.definitions.formats import SIDECAR, Format
from sidecar.subagents.definitions.model import Definition, ParsedFile
from sidecar.subagents.definitions.parsing import MAX_BYTES, parse_definition
from sidecar.subagents.definitions.places import DefinitionDirectory, Level, directories_in, format_at

MAX_FILES = 1_000
"""Files read in one directory: a mistaken path such as a home directory must not stall a listing."""
MAX_FOLDERS = 200
"""Folders looked into below one directory, for the same reason."""


@dataclass(frozen=True)
class PlacedDefinition:
    """A definition, where it was read, and the path of the one that hides it."""

    definition: Definition
    path: str
    level: Level
    format: Format = SIDECAR
    shadowed_by: str | None = None

    def info(self, runner: str) -> SubagentInfo:
        """Return it as clients see it; `runner` is the one a launch would take."""
        definition = self.definition
        name = None if self.format is SIDECAR else self.format.name
        return SubagentInfo(
            name=definition.name,
            description=definition.description,
            runner=runner,
            model=definition.model,
            tools=None if definition.tools is None else list(definition.tools),
            source=SubagentSource(path=self.path, level=self.level, format=name),
            shadowed_by=self.shadowed_by,
        )


class LoadedDefinitions(NamedTuple):
    """All definitions in order of precedence, hidden ones too, and every fault found."""

    definitions: list[PlacedDefinition]
    problems: list[DefinitionProblem]


def find(definitions: Iterable[PlacedDefinition], name: str) -> PlacedDefinition:
    """Return the definition that wins; raises SubagentNotFound naming those there are."""
    winners = {placed.definition.name: placed for placed in definitions if placed.shadowed_by is None}
    if name in winners:
        return winners[name]
    available = sorted(winners)
    known = ", ".join(available) or "none; add a definition file"
    raise SubagentNotFound(
        f"no subagent is named {name!r}; there are: {known}", subagentName=name, available=available
    )


Stamp = tuple[int, int, int]
"""What tells a file's versions apart: when it was changed, in ns, its size and its inode."""


class DefinitionSet:
    """Definitions with a memory: loading again reads only files that changed."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], tuple[Stamp, ParsedFile]] = {}

    def load(self, directories: Sequence[DefinitionDirectory]) -> LoadedDefinitions:
        """Read the files of the directories; never raises for what is in them. Blocking, thread-safe."""
        before, now = self._files, dict[tuple[str, str], tuple[Stamp, ParsedFile]]()
        placed: list[PlacedDefinition] = []
        problems: list[DefinitionProblem] = []
        for directory in _distinct(directories):
            paths, faults = _files_of(directory)
            problems += faults
            found: list[PlacedDefinition] = []
            for path in paths:
                key = (str(path), directory.format.name)
                now[key] = _parse_file(path, directory.format, before.get(key))
                parsed = now[key][1]
                problems += parsed.problems
                if parsed.definition is not None:
                    found.append(
                        PlacedDefinition(parsed.definition, str(path), directory.level, directory.format)
                    )
            placed += _without_twins(found, problems)
        self._files = now
        return LoadedDefinitions(list(_shadowed(placed)), problems)


def check(paths: Iterable[Path], environment: Mapping[str, str]) -> LoadedDefinitions:
    """Read these files, folders and workspaces, each in the format of its place; never raises. Blocking."""
    placed: list[PlacedDefinition] = []
    problems: list[DefinitionProblem] = []
    for path in paths:
        found = _check_folder(path, environment) if path.is_dir() else _check_file(path, environment)
        placed += found.definitions
        problems += found.problems
    return LoadedDefinitions(list(_shadowed(placed)), problems)


def _check_folder(path: Path, environment: Mapping[str, str]) -> LoadedDefinitions:
    found = DefinitionSet().load(directories_in(path, environment))
    if not found.definitions and not found.problems:
        found.problems.append(
            _problem(path, "holds no definitions; name a file, their folder or a workspace")
        )
    return found


def _check_file(path: Path, environment: Mapping[str, str]) -> LoadedDefinitions:
    form = format_at(path, environment)
    _, (definition, problems) = _parse_file(path, form, None)
    placed = [] if definition is None else [PlacedDefinition(definition, str(path), "settings", form)]
    return LoadedDefinitions(placed, problems)


def fingerprint(directories: Iterable[DefinitionDirectory]) -> tuple[tuple[str, Stamp | None], ...]:
    """Return what changes whenever a definition may have: each file with its stamp. Blocking, reads none."""
    return tuple(
        (str(path), _stamp_of(path))
        for directory in _distinct(directories)
        for path in (directory.path, *_files_of(directory)[0])
    )


def _stamp_of(path: Path) -> Stamp | None:
    try:
        return _stamp(path.stat())
    except (OSError, ValueError):
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


def _distinct(directories: Iterable[DefinitionDirectory]) -> Iterator[DefinitionDirectory]:
    """Leave out a directory that came before: its definitions would hide themselves."""
    seen: set[str] = set()
    for directory in directories:
        path = str(directory.path)
        real = path if "\0" in path else os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield directory


def _files_of(directory: DefinitionDirectory) -> tuple[list[Path], list[DefinitionProblem]]:
    if "\0" in str(directory.path):  # from settings that were sent as JSON
        return [], [_problem(directory.path, "cannot be read: its name holds the character NUL")]
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
        _problem(Path(error.filename), f"cannot be read: {error.strerror}")
        for error in faults
        if not isinstance(error, FileNotFoundError) or directory.level == "settings"
    ]
    if limit > 1 and next(walk, None) is not None:
        message = f"has more than {limit} folders in it; no definition is read in further ones"
        problems.append(_problem(directory.path, message))
    if len(entries) > MAX_FILES:
        message = f"holds {len(entries)} definition files; only the first {MAX_FILES} by name are read"
        problems.append(_problem(directory.path, message))
    return entries[:MAX_FILES], problems


def _parse_file(path: Path, form: Format, known: tuple[Stamp, ParsedFile] | None) -> tuple[Stamp, ParsedFile]:
    # Without O_NONBLOCK a FIFO named like a definition would hold the listing for ever.
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            stamp = _stamp(status)
            if known is not None and known[0] == stamp:
                return known
            if not stat.S_ISREG(status.st_mode):
                return stamp, ParsedFile(None, [_problem(path, "is not a regular file")])
            return stamp, parse_definition(file.read(MAX_BYTES + 1), str(path), form)
    except (OSError, ValueError) as error:
        problem = _problem(path, f"cannot be read: {getattr(error, 'strerror', None) or error}")
        return (-1, -1, -1), ParsedFile(None, [problem])


def _without_twins(
    found: Iterable[PlacedDefinition], problems: list[DefinitionProblem]
) -> list[PlacedDefinition]:
    """Keep the first of each name in one directory, and report the others."""
    first: dict[str, PlacedDefinition] = {}
    for placed in found:
        name = placed.definition.name
        twin = first.setdefault(name, placed)
        if twin is not placed:
            problems.append(_problem(Path(placed.path), f"name {name!r} is taken by {twin.path}; rename one"))
    return list(first.values())


def _shadowed(placed: Iterable[PlacedDefinition]) -> Iterator[PlacedDefinition]:
    winners: dict[str, str] = {}
    for item in placed:
        winner = winners.setdefault(item.definition.name, item.path)
        yield item if winner == item.path else replace(item, shadowed_by=winner)


def _problem(path: Path, message: str) -> DefinitionProblem:
    return DefinitionProblem(path=str(path), message=message)
