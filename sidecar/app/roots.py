"""Where the sidecar's own root lies."""

import os
from pathlib import Path

import platformdirs

from sidecar.app.settings import APP_NAME

ENVIRONMENT_VARIABLE = "SIDECAR_STORAGE_ROOT"


def default_storage_root() -> Path:
    """Return SIDECAR_STORAGE_ROOT, else the platform's user data directory."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    return Path(named).absolute() if named else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))
