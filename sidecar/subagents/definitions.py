"""Subagent definitions: which there are, which one wins, and what is wrong with the rest."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.api.async_tasks import DefinitionProblem, SubagentInfo, SubagentSource
from sidecar.api.errors import SubagentNotFound
from sidecar.subagents.definition_file import MAX_BYTES, Definition, ParsedFile, parse_definition

__all__ = [
    "Definition",
    "DefinitionDirectory",
    "DefinitionSet",
    "LoadedDefinitions",
    "PlacedDefinition",
    "definition_directories",
    "find",
]

Level = Literal["settings", "workspace", "user"]

MAX_FILES = 1_000
"""Files read in one directory: a mistaken path such as a home directory must not stall a listing."""


@dataclass(frozen=True)
class DefinitionDirectory:
    """A place definitions are read from."""

    path: Path
    level: Level


@dataclass(frozen=True)
class PlacedDefinition:
    """A definition, where it was read, and the path of the one that hides it."""

    definition: Definition
    path: str
    level: Level
    shadowed_by: str | None = None

    def info(self, default_runner: str) -> SubagentInfo:
        """Return it as clients see it; `default_runner` stands in where the file names none."""
        definition = self.definition
        return SubagentInfo(
            name=definition.name,
            description=definition.description,
            runner=definition.runner or default_runner,
            model=definition.model,
            tools=None if definition.tools is None else list(definition.tools),
            source=SubagentSource(path=self.path, level=self.level),
            shadowed_by=self.shadowed_by,
        )


class LoadedDefinitions(NamedTuple):
    """All definitions in order of precedence, hidden ones too, and every fault found."""

    definitions: list[PlacedDefinition]
    problems: list[DefinitionProblem]


def definition_directories(
    settings: Iterable[str], workspace_folders: Iterable[str], *, trusted: bool, config_dir: Path
) -> list[DefinitionDirectory]:
    """Return the directories in order of precedence; `config_dir` is the application's own.

    A workspace's definitions run programs with its prompts: without trust they are not even read.
    """
    workspaces = [Path(folder) / ".sidecar" / "agents" for folder in workspace_folders] if trusted else []
    return [
        *(DefinitionDirectory(Path(path).expanduser(), "settings") for path in settings),
        *(DefinitionDirectory(path, "workspace") for path in workspaces),
        DefinitionDirectory(config_dir / "agents", "user"),
    ]


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


_Stamp = tuple[int, int, int]


class DefinitionSet:
    """Definitions with a memory: loading again reads only files that changed."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[_Stamp, ParsedFile]] = {}

    def load(self, directories: Sequence[DefinitionDirectory]) -> LoadedDefinitions:
        """Read every `*.md` of the directories; never raises for what is in them. Blocking, thread-safe."""
        before, now = self._files, dict[str, tuple[_Stamp, ParsedFile]]()
        placed: list[PlacedDefinition] = []
        problems: list[DefinitionProblem] = []
        for directory in _distinct(directories):
            paths, faults = _files_of(directory)
            problems += faults
            found: list[PlacedDefinition] = []
            for path in paths:
                stamp, parsed = _parse_file(path, before.get(str(path)))
                now[str(path)] = stamp, parsed
                problems += parsed.problems
                if parsed.definition is not None:
                    found.append(PlacedDefinition(parsed.definition, str(path), directory.level))
            placed += _without_twins(found, problems)
        self._files = now
        return LoadedDefinitions(list(_shadowed(placed)), problems)


def _distinct(directories: Iterable[DefinitionDirectory]) -> Iterator[DefinitionDirectory]:
    """Leave out a directory that came before: its definitions would hide themselves."""
    seen: set[str] = set()
    for directory in directories:
        real = os.path.realpath(directory.path)
        if real not in seen:
            seen.add(real)
            yield directory


def _files_of(directory: DefinitionDirectory) -> tuple[list[Path], list[DefinitionProblem]]:
    try:
        entries = sorted(path for path in directory.path.iterdir() if path.suffix.lower() == ".md")
    except OSError as error:
        # Only a directory somebody named has to be there.
        absent = isinstance(error, FileNotFoundError) and directory.level != "settings"
        return [], [] if absent else [_problem(directory.path, f"cannot be read: {error.strerror}")]
    if len(entries) <= MAX_FILES:
        return entries, []
    message = f"holds {len(entries)} definition files; only the first {MAX_FILES} by name are read"
    return entries[:MAX_FILES], [_problem(directory.path, message)]


def _parse_file(path: Path, known: tuple[_Stamp, ParsedFile] | None) -> tuple[_Stamp, ParsedFile]:
    # Without O_NONBLOCK a FIFO named like a definition would hold the listing for ever.
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if known is not None and known[0] == stamp:
                return known
            if not stat.S_ISREG(status.st_mode):
                return stamp, ParsedFile(None, [_problem(path, "is not a regular file")])
            return stamp, parse_definition(file.read(MAX_BYTES + 1), str(path))
    except OSError as error:
        problem = _problem(path, f"cannot be read: {error.strerror}")
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
