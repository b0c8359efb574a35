"""Tables of the folders where editors keep the data of extensions."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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


def this_machine() -> Machine:
    """The machine and user this process runs for."""
    return Machine(Path.home(), os.environ, sys.platform)
