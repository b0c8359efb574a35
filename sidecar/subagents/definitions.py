"""Subagent definitions: which there are, which one wins, and what is wrong with the rest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.api.async_tasks import DefinitionProblem, SubagentInfo

Level = Literal["settings", "workspace", "user"]


@dataclass(frozen=True)
class DefinitionDirectory:
    """A place definitions are read from."""

    path: Path
    level: Level


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One subagent as its file describes it; `system_prompt` is the file's body."""

    name: str
    description: str
    system_prompt: str
    runner: str | None = None
    model: str | None = None
    tools: tuple[str, ...] | None = None
    max_turns: int | None = None
    timeout_seconds: float | None = None
    isolation: Literal["none", "worktree"] | None = None


@dataclass(frozen=True)
class PlacedDefinition:
    """A definition, where it was read, and the path of the one that hides it."""

    definition: Definition
    path: str
    level: Level
    shadowed_by: str | None = None

    def info(self, default_runner: str) -> SubagentInfo:
        """Return it as clients see it; `default_runner` stands in where the file names none."""
        raise NotImplementedError


class LoadedDefinitions(NamedTuple):
    """All definitions in order of precedence, hidden ones too, and every fault found."""

    definitions: list[PlacedDefinition]
    problems: list[DefinitionProblem]


def definition_directories(
    settings: Iterable[str], workspace_folders: Iterable[str], *, trusted: bool, config_dir: Path
) -> list[DefinitionDirectory]:
    """Return the directories in order of precedence; `config_dir` is the application's own."""
    raise NotImplementedError


class DefinitionSet:
    """Definitions with a memory: loading again reads only files that changed."""

    def load(self, directories: Sequence[DefinitionDirectory]) -> LoadedDefinitions:
        """Read every `*.md` of the directories; never raises for what is in them. Blocking, thread-safe."""
        raise NotImplementedError


def find(definitions: Iterable[PlacedDefinition], name: str) -> PlacedDefinition:
    """Return the definition that wins; raises SubagentNotFound naming those there are."""
    raise NotImplementedError
