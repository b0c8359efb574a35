"""Where Codex keeps the database of its sessions' names."""

import os
from pathlib import Path
from typing import Final

from sidecar.history.stored.reading import Stamp, read_file, stamp_of

CONFIG: Final = "config.toml"
VARIABLE: Final = "CODEX_SQLITE_HOME"
_MAX_BYTES: Final = 4 << 20


class StateFolders:
    """The folders of one root that may have the database, the one that Codex writes first."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._config = f"{root}{os.sep}{CONFIG}"
        self._seen: tuple[Stamp | None, str] = (None, "")

    def __call__(self) -> list[str]:
        """Return the folder that the configuration names, else the variable, and the root.

        The variable counts for the user's own root only.
        """
        named = self._configured() or _named_by_variable(self._root)
        return [*dict.fromkeys(filter(None, (named, self._root)))]

    def places(self) -> list[tuple[str, int]]:
        """Return what decides which folders these are, and the folders."""
        home = [(_home(), 0)] if os.environ.get(VARIABLE) else []
        return [*home, *((folder, 1) for folder in self())]

    def _configured(self) -> str:
        stamp = stamp_of(self._config)
        if stamp != self._seen[0]:
            data = read_file(self._config, CONFIG, _MAX_BYTES).data if stamp is not None else b""
            if data is not None:
                self._seen = (stamp, _sqlite_home(data, self._root))
        return self._seen[1]


def _sqlite_home(config: bytes, root: str) -> str:
    """Return the folder that a configuration names; what is relative is below the root."""
    if b"sqlite_home" not in config:
        return ""
    import tomllib  # here, because hardly anyone moves the database

    try:
        named = tomllib.loads(config.decode("utf-8", "replace")).get("sqlite_home")
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
    return os.path.join(root, os.path.expanduser(named)) if isinstance(named, str) and named else ""  # noqa: PTH111, PTH118 (roots keep texts)


def _named_by_variable(root: str) -> str:
    named = os.environ.get(VARIABLE, "").strip()
    return named if os.path.isabs(named) and _is_users_own(root) else ""  # noqa: PTH117 (roots keep texts)


def _is_users_own(root: str) -> bool:
    try:
        return os.path.samefile(root, _home())  # noqa: PTH121 (roots keep texts)
    except (OSError, ValueError):
        return False


def _home() -> str:
    return os.environ.get("CODEX_HOME") or str(Path.home() / ".codex")
