"""The directories that hold definitions, with their formats, in order of precedence."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sidecar.subagents.definitions.formats import (
    CLAUDE,
    CODEX,
    COPILOT,
    CURSOR,
    GEMINI,
    LLXPRT,
    SIDECAR,
    Format,
)

Level = Literal["settings", "workspace", "user"]

OWN_FOLDER = (".sidecar", "agents")
WORKSPACE_FOLDERS: Mapping[tuple[str, str], Format] = {
    (".claude", "agents"): CLAUDE,
    (".github", "agents"): COPILOT,
    (".gemini", "agents"): GEMINI,
    (".codex", "agents"): CODEX,
    (".cursor", "agents"): CURSOR,
}
"""Folders of other tools below a workspace folder, in order of precedence."""
USER_FOLDERS: Mapping[tuple[str, str], Format] = {
    (".claude", "agents"): CLAUDE,
    (".copilot", "agents"): COPILOT,
    (".gemini", "agents"): GEMINI,
    (".codex", "agents"): CODEX,
    (".cursor", "agents"): CURSOR,
    (".llxprt", "subagents"): LLXPRT,
}
"""Folders of other tools below the user's home, in order of precedence."""
MOVED_BY: Mapping[str, str] = {".claude": "CLAUDE_CONFIG_DIR", ".codex": "CODEX_HOME"}
"""The environment variables that move a tool's folder out of the user's home."""
_BY_FOLDER = {OWN_FOLDER: SIDECAR, **WORKSPACE_FOLDERS, **USER_FOLDERS}
_BY_SUFFIX = (COPILOT, CODEX, LLXPRT)
"""Formats recognized by the file name alone."""


@dataclass(frozen=True)
class DefinitionDirectory:
    """A directory of definitions. Links that lead out of the folder `within` are not followed."""

    path: Path
    level: Level
    format: Format = SIDECAR
    within: Path | None = None


def definition_directories(
    settings: Iterable[str],
    workspace_folders: Iterable[str],
    *,
    trusted: bool,
    config_dir: Path,
    home: Path,
    environment: Mapping[str, str],
) -> list[DefinitionDirectory]:
    """Return the directories in order of precedence; `config_dir` is the application's own.

    A workspace's definitions run programs with its prompts, so without trust they are not even read.
    """
    named = (Path(os.path.expanduser(path)) for path in settings)  # noqa: PTH111 # Path.expanduser raises without a home
    workspaces = [Path(folder) for folder in workspace_folders] if trusted else []
    return [
        *(DefinitionDirectory(path, "settings", format_at(path, environment)) for path in named),
        *(
            DefinitionDirectory(folder.joinpath(*OWN_FOLDER), "workspace", within=folder)
            for folder in workspaces
        ),
        *(
            replace(place, within=folder)
            for folder in workspaces
            for place in _below(folder, WORKSPACE_FOLDERS, "workspace")
        ),
        DefinitionDirectory(config_dir / "agents", "user"),
        *(
            DefinitionDirectory(_moved(names, environment) or home.joinpath(*names), "user", form)
            for names, form in USER_FOLDERS.items()
        ),
    ]


def directories_in(path: Path, environment: Mapping[str, str]) -> list[DefinitionDirectory]:
    """Return the definition directories of a folder: those of a workspace, else the folder itself.

    A repository without definition directories has none: its Markdown is for people.
    """
    below = [
        DefinitionDirectory(path.joinpath(*OWN_FOLDER), "settings"),
        *_below(path, WORKSPACE_FOLDERS, "settings"),
    ]
    found = [replace(directory, within=path) for directory in below if directory.path.is_dir()]
    if found or (path / ".git").exists():
        return found
    return [DefinitionDirectory(path, "settings", format_at(path, environment))]


def format_at(path: Path, environment: Mapping[str, str]) -> Format:
    """Return the format of a file or directory: that of the tool's folder around it, or the sidecar's."""
    moved = {_moved(names, environment): form for names, form in USER_FOLDERS.items()}
    for place in (path, *path.parents):
        found = moved.get(place) or _BY_FOLDER.get((place.parent.name, place.name))
        if found is not None:
            return found
    return next((form for form in _BY_SUFFIX if form.takes(path.name)), SIDECAR)


def _below(
    folder: Path, folders: Mapping[tuple[str, str], Format], level: Level
) -> Iterator[DefinitionDirectory]:
    for names, form in folders.items():
        yield DefinitionDirectory(folder.joinpath(*names), level, form)


def _moved(names: tuple[str, str], environment: Mapping[str, str]) -> Path | None:
    """Return the tool's folder named by its environment variable; None if that is not set."""
    folder, below = names
    named = environment.get(MOVED_BY.get(folder, ""))
    return Path(named, below).absolute() if named else None
