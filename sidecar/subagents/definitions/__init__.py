"""Finds, reads and checks subagent definitions on disk, and decides which one wins."""

from sidecar.subagents.definitions.loading import (
    DefinitionSet,
    LoadedDefinitions,
    PlacedDefinition,
    check,
    find,
    fingerprint,
)
from sidecar.subagents.definitions.model import Definition
from sidecar.subagents.definitions.places import DefinitionDirectory, Level, definition_directories

__all__ = [
    "Definition",
    "DefinitionDirectory",
    "DefinitionSet",
    "Level",
    "LoadedDefinitions",
    "PlacedDefinition",
    "check",
    "definition_directories",
    "find",
    "fingerprint",
]
