"""The platform's directories for settings, data and caches of this program, and its default root.

Imports little, since every start of a client needs it.
"""

import os
import sys
from collections.abc import Mapping

ROOT_VARIABLE = "SIDECAR_STORAGE_ROOT"
CACHE_VARIABLE = "SIDECAR_CACHE_DIR"
_APP_NAME = "subagent-sidecar"
_XDG = {
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "data": ("XDG_DATA_HOME", "~/.local/share"),
    "cache": ("XDG_CACHE_HOME", "~/.cache"),
}


def user_dir(kind: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the directory of one kind, `config`, `data` or `cache`, which may not exist yet."""
    if sys.platform == "linux":
        # The XDG base directory specification, as in platformdirs, whose import takes as long as reading a
        # hundred tasks.
        variable, default = _XDG[kind]
        named = environment.get(variable, "")
        if not os.path.isabs(named):
            home = environment.get("HOME") or os.path.expanduser("~")
            named = home + default.removeprefix("~")
        return os.path.join(named, _APP_NAME)
    import platformdirs

    return str(getattr(platformdirs, f"user_{kind}_dir")(_APP_NAME, appauthor=False))


def cache_dir() -> str:
    """Return SIDECAR_CACHE_DIR, else the user's cache directory."""
    named = os.environ.get(CACHE_VARIABLE)
    return os.path.abspath(named) if named else user_dir("cache")


def default_root() -> str:
    """Return SIDECAR_STORAGE_ROOT, else the user's data directory."""
    named = os.environ.get(ROOT_VARIABLE)
    return os.path.abspath(named) if named else user_dir("data")
