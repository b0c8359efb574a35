"""Where the sidecar's own root lies, and where it keeps what may be deleted at any time."""

import os
from pathlib import Path

import platformdirs

from sidecar.app.settings import APP_NAME

ENVIRONMENT_VARIABLE = "SIDECAR_STORAGE_ROOT"
CACHE_VARIABLE = "SIDECAR_CACHE_DIR"


def default_storage_root() -> Path:
    """Return SIDECAR_STORAGE_ROOT, else the platform's user data directory."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    return Path(named).absolute() if named else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def search_dir() -> Path:
    """Return where search files lie: under SIDECAR_CACHE_DIR, else the platform's user cache directory."""
    named = os.environ.get(CACHE_VARIABLE)
    cache = Path(named).absolute() if named else Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False))
    return cache / "search"
