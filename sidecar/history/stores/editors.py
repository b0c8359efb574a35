"""Tables of the folders where editors keep the data of extensions."""

import os
import re
import sys
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from sidecar.patterns import compiled

APPS: Final = (
    *("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"),
    *("Antigravity", "Kiro", "Trae"),
)
"""The editors' folders in the platform's folder for application data."""
SERVERS: Final = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
    ".antigravity-server",
    ".antigravity-ide-server",
    ".kiro-server",
    ".trae-server",
    ".vscode-remote",  # GitHub Codespaces
    ".openvscode-server",
)
"""The folders, in the home, of the part of an editor that runs on a remote machine, in WSL or a container."""
FLATPAKS: Final = {"com.visualstudio.code": "Code", "com.vscodium.codium": "VSCodium"}
MAX_SETTINGS_BYTES: Final = 4 * 1024 * 1024
_TOKEN: Final = compiled(rb'"(?:[^"\\\n]|\\.)*+"|//[^\n]*+|/\*.*?(?:\*/|\Z)|:', re.DOTALL)
"""What matters in JSON with comments: strings, comments, and the mark between a key and its value."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the places depend on; `platform` is a value of `sys.platform`."""

    home: Path
    environment: Mapping[str, str]
    platform: str

    def folder(self, variable: str, default: Path) -> Path:
        """The folder that an environment variable names, else the default."""
        named = self.environment.get(variable)
        return Path(named) if named and Path(named).is_absolute() else default


def user_folders(machine: Machine) -> Iterator[Path]:
    """Every folder in which an editor keeps a user's settings and `globalStorage`."""
    data = _application_data(machine)
    yield from (data / app / "User" for app in APPS)
    yield from (machine.home / server / "data" / "User" for server in SERVERS)
    if machine.platform == "linux":
        yield machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / "code-server" / "User"
        sandboxes = machine.home / ".var" / "app"
        yield from (sandboxes / name / "config" / app / "User" for name, app in FLATPAKS.items())
    if portable := machine.environment.get("VSCODE_PORTABLE"):
        yield Path(portable) / "user-data" / "User"


def settings_files(user: Path) -> Iterator[Path]:
    """The settings of a user folder: its own, those of its profiles, and of the remote machine."""
    yield user / "settings.json"
    yield from sorted(user.glob("profiles/*/settings.json"))
    yield user.parent / "Machine" / "settings.json"


def _application_data(machine: Machine) -> Path:
    if machine.platform == "win32":
        return machine.folder("APPDATA", machine.home / "AppData" / "Roaming")
    if machine.platform == "darwin":
        return machine.home / "Library" / "Application Support"
    return machine.folder("XDG_CONFIG_HOME", machine.home / ".config")


def custom_paths(settings: bytes, names: Container[str]) -> list[Path]:
    """Read the folders that the settings `names` name from JSON with comments, whole or not."""
    found = custom_texts(settings, names)
    return [Path(path) for path in found.values() if Path(path).is_absolute()]


def custom_texts(settings: bytes, names: Container[str]) -> dict[str, str]:
    """Read the texts of the settings `names` from JSON with comments, whole or not."""
    tokens = [token for match in _TOKEN.finditer(settings) if not (token := match[0]).startswith(b"/")]
    found: dict[str, str] = {}
    for key, mark, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        name = _text(key)
        if name in names and mark == b":" and value != b":":
            found[name] = _text(value)  # of equal keys the editor takes the last
    return found


def read_settings(path: Path) -> bytes:
    """Read a settings file; empty if there is none to read."""
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


def this_machine() -> Machine:
    """The machine and user this process runs for."""
    return Machine(Path.home(), os.environ, sys.platform)
