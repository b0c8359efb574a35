"""Loads the definitions of directories, decides which one of a name wins, and collects problems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from sidecar.api.errors import SubagentNotFound
from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.subagents import DefinitionProblem, SubagentInfo, SubagentSource
from sidecar.subagents.definitions.formats import SIDECAR, Format
from sidecar.subagents.definitions.model import Definition, ParsedFile
from sidecar.subagents.definitions.places import DefinitionDirectory, Level, directories_in, format_at
from sidecar.subagents.definitions.reading import Stamp, files_of, parse_file, problem, stamp_of
from sidecar.subagents.paths.real_path import real_path

_SHOWN_CHARS = 100


@dataclass(frozen=True)
class PlacedDefinition:
    """A definition with its place, the path of the one that hides it and of the user's one it hides."""

    definition: Definition
    path: str
    level: Level
    format: Format = SIDECAR
    shadows: str | None = None
    shadowed_by: str | None = None

    def info(
        self,
        runner: str,
        approval: str | None = None,
        unavailable: str | None = None,
        placement: PlacementKind | None = None,
    ) -> SubagentInfo:
        """Return the definition as clients see it.

        `runner` is the one a launch would use, `approval` the text that would approve its policy,
        `unavailable` why the runner cannot start it, and `placement` where its runs work.
        """
        definition = self.definition
        name = None if self.format is SIDECAR else self.format.name
        return SubagentInfo(
            name=definition.name,
            description=definition.description,
            runner=runner,
            unavailable=unavailable,
            model=definition.model,
            tools=None if definition.tools is None else list(definition.tools),
            permissions=definition.permissions,
            approval=approval,
            max_turns=definition.max_turns,
            timeout_seconds=definition.timeout_seconds,
            isolation=definition.isolation,
            placement=placement,
            mode=definition.mode,
            effort=definition.effort,
            mcp_servers=list(definition.mcp_servers.names) if definition.mcp_servers else None,
            source=SubagentSource(path=self.path, level=self.level, format=name),
            shadows=self.shadows,
            shadowed_by=self.shadowed_by,
        )


class LoadedDefinitions(NamedTuple):
    """All definitions in order of precedence, including hidden ones, and every problem."""

    definitions: list[PlacedDefinition]
    problems: list[DefinitionProblem]


def find(definitions: Iterable[PlacedDefinition], name: str) -> PlacedDefinition:
    """Return the definition that wins. Raises SubagentNotFound, which names the available ones."""
    winners = {placed.definition.name: placed for placed in definitions if placed.shadowed_by is None}
    if name in winners:
        return winners[name]
    available = sorted(winners)
    known = ", ".join(available) or "none; add a definition file"
    raise SubagentNotFound(
        f"no subagent is named {_shown(name)!r}; available: {known}", subagentName=name, available=available
    )


class DefinitionSet:
    """Keeps parsed definitions, so that loading again reads only files that changed."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], tuple[Stamp, ParsedFile]] = {}

    def load(self, directories: Sequence[DefinitionDirectory]) -> LoadedDefinitions:
        """Read the files of the directories; never raises for their content. Blocking, thread-safe."""
        before, now = self._files, dict[tuple[str, str], tuple[Stamp, ParsedFile]]()
        placed: list[PlacedDefinition] = []
        problems: list[DefinitionProblem] = []
        for directory in _distinct(directories):
            paths, found_problems = files_of(directory)
            problems += found_problems
            found: list[PlacedDefinition] = []
            for path in paths:
                key = (str(path), directory.format.name)
                now[key] = parse_file(path, directory.format, before.get(key))
                parsed = now[key][1]
                problems += parsed.problems
                if parsed.definition is not None:
                    found.append(_placed(parsed.definition, path, directory))
            placed += _without_duplicates(found, problems)
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
            problem(path, "contains no definitions; name a file, a folder of definitions or a workspace")
        )
    return found


def _check_file(path: Path, environment: Mapping[str, str]) -> LoadedDefinitions:
    form = format_at(path, environment)
    _, (definition, problems) = parse_file(path, form, None)
    directory = DefinitionDirectory(path.parent, "settings", form)
    placed = [] if definition is None else [_placed(definition, path, directory)]
    return LoadedDefinitions(placed, problems)


def _placed(definition: Definition, path: Path, place: DefinitionDirectory) -> PlacedDefinition:
    return PlacedDefinition(definition, str(path), place.level, place.format)


def fingerprint(directories: Iterable[DefinitionDirectory]) -> tuple[tuple[str, Stamp | None], ...]:
    """Return each file with its stamp, which changes when a definition may have. Blocking, reads no file."""
    return tuple(
        (str(path), _stamp_of(path))
        for directory in _distinct(directories)
        for path in (directory.path, *files_of(directory)[0])
    )


def _stamp_of(path: Path) -> Stamp | None:
    try:
        return stamp_of(path.stat())
    except (OSError, ValueError):
        return None


def _distinct(directories: Iterable[DefinitionDirectory]) -> Iterator[DefinitionDirectory]:
    """Skip a repeated directory, because its definitions would hide themselves."""
    seen: set[str] = set()
    for directory in directories:
        path = str(directory.path)
        real = real_path(path) or path
        if real not in seen:
            seen.add(real)
            yield directory


def _without_duplicates(
    found: Iterable[PlacedDefinition], problems: list[DefinitionProblem]
) -> list[PlacedDefinition]:
    """Keep the first of each name in one directory, and report the others."""
    first: dict[str, PlacedDefinition] = {}
    for placed in found:
        name = placed.definition.name
        winner = first.setdefault(name, placed)
        if winner is not placed:
            problems.append(
                problem(Path(placed.path), f"name {name!r} is already used by {winner.path}; rename one")
            )
    return list(first.values())


def _shadowed(placed: Sequence[PlacedDefinition]) -> Iterator[PlacedDefinition]:
    winners: dict[str, str] = {}
    own: dict[str, str] = {}
    for item in placed:
        if item.level == "user":
            own.setdefault(item.definition.name, item.path)
    for item in placed:
        winner = winners.setdefault(item.definition.name, item.path)
        if winner != item.path:
            yield replace(item, shadowed_by=winner)
        else:
            hidden = own.get(item.definition.name)
            yield replace(item, shadows=hidden if item.level == "workspace" else None)


def _shown(name: str) -> str:
    """Return a name for an error, cut if it is too long to be one."""
    return name if len(name) <= _SHOWN_CHARS else f"{name[:_SHOWN_CHARS]}…"
