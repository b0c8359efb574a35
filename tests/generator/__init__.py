"""Generate task folders of all products and eras, with known true values."""

from tests.generator import (
    hostile_contents,
    hostile_entries,
    hostile_folders,
    hostile_json,
    hostile_texts,
)
from tests.generator.corpus import Task, generate, realistic, sized
from tests.generator.eras import ERAS, Era
from tests.generator.hostile import HOSTILE, write_hostile

__all__ = [
    "ERAS",
    "HOSTILE",
    "Era",
    "Task",
    "generate",
    "hostile_contents",
    "hostile_entries",
    "hostile_folders",
    "hostile_json",
    "hostile_texts",
    "realistic",
    "sized",
    "write_hostile",
]
