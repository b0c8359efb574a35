"""The platform's directories for settings, data and caches of this program."""

import os
import sys
from pathlib import Path
from typing import Final, Literal

_APP_NAME: Final = "subagent-sidecar"
_XDG: Final = {
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "data": ("XDG_DATA_HOME", "~/.local/share"),
    "cache": ("XDG_CACHE_HOME", "~/.cache"),
}


def user_dir(kind: Literal["config", "data", "cache"]) -> Path:
    """Return the directory of one kind, which may not exist yet."""
    if sys.platform == "linux":
        # The XDG base directory specification, as in platformdirs, whose import takes as long as reading a
        # hundred tasks.
        variable, default = _XDG[kind]
        named = Path(os.environ.get(variable, ""))
        return (named if named.is_absolute() else Path(default).expanduser()) / _APP_NAME
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")(_APP_NAME, appauthor=False))
