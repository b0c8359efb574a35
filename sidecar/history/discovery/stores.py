"""Find the stores of tasks on this machine, and say where was looked. Nothing is written anywhere."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from sidecar.history.discovery.editors import (
    EXTENSIONS,
    STORAGE_SETTINGS,
    Machine,
    cline_data,
    settings_files,
    user_folders,
)

MAX_SETTINGS_BYTES: Final = 4 * 1024 * 1024
_TOKEN: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*+"|//[^\n]*+|/\*.*?(?:\*/|\Z)|:', re.DOTALL)
"""What matters in JSON with comments: strings, comments, and the mark between a key and its value."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere a store may be; `why` tells a person how it came to be looked at."""

    path: Path
    why: str
    found: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """Roots that hold `tasks/`, and every place that was looked at."""

    roots: list[Path]
    searched: list[Place]


def this_machine() -> Machine:
    """The machine and user this process runs for."""
    return Machine(Path.home(), os.environ, sys.platform)


def discover_roots(machine: Machine | None = None) -> Discovery:
    """Look for the stores of all products in all editors' data folders; unreadable places hold none."""
    searched: dict[Path, Place] = {}
    for path, why in _candidates(machine or this_machine()):
        if path not in searched:
            searched[path] = Place(path, why, _is_folder(path / "tasks"))
    return Discovery([place.path for place in searched.values() if place.found], list(searched.values()))


def custom_paths(settings: bytes) -> list[Path]:
    """Read the custom storage folders out of an editor's settings, JSON with comments, whole or not."""
    tokens = [token for match in _TOKEN.finditer(settings) if not (token := match[0]).startswith(b"/")]
    found: dict[str, str] = {}
    for key, mark, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        name = _text(key)
        if name in STORAGE_SETTINGS and mark == b":" and value != b":":
            found[name] = _text(value)  # of two alike the editor takes the last
    return [Path(path) for path in found.values() if Path(path).is_absolute()]


def _candidates(machine: Machine) -> Iterator[tuple[Path, str]]:
    for user in user_folders(machine):
        for extension in EXTENSIONS:
            yield user / "globalStorage" / extension, f"data of {extension}"
        for file in settings_files(user):
            for path in custom_paths(_read(file)):
                yield path, f"a custom storage path in {file}"
    yield machine.home / ".vscode-mock" / "global-storage", "data of Roo's command line"
    yield machine.home / ".kilocode" / "cli" / "global", "data of Kilo's command line"
    yield cline_data(machine), "data of Cline's command line and JetBrains plug-in"


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            return b""
        with path.open("rb") as file:
            return file.read(MAX_SETTINGS_BYTES)
    except OSError:
        return b""


def _text(token: bytes) -> str:
    try:
        return msgspec.json.decode(token, type=str)
    except msgspec.MsgspecError:
        return ""


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
