"""The paths of the sidecar's own root and of its caches."""

import logging
import os
from collections.abc import Iterable
from pathlib import Path

from sidecar.api.settings import HistorySettings
from sidecar.storage.kept.copies import kept_roots
from sidecar.storage.layout import OwnRoot
from sidecar.user_dirs import default_root, user_dir

logger = logging.getLogger(__name__)

CACHE_VARIABLE = "SIDECAR_CACHE_DIR"


def default_storage_root() -> Path:
    """Return SIDECAR_STORAGE_ROOT, else the platform's user data directory."""
    return Path(default_root())


def index_dir() -> Path:
    """Return the directory of the indexes of stored tasks."""
    return _cache_dir() / "index"


def search_dir() -> Path:
    """Return the directory of the search indexes."""
    return _cache_dir() / "search"


def kept_dir() -> Path:
    """Return the folder of kept copies in the default root."""
    return OwnRoot(default_storage_root()).kept


def history_roots(own: Path, foreign: Iterable[Path], settings: HistorySettings) -> list[Path]:
    """Return all roots whose tasks are listed: the own one, the named ones and the discovered ones."""
    named = [Path(path) for path in settings.foreign_roots]
    found = [*_discovered(), *_with_copies(own)] if settings.auto_discover else []
    return [*dict.fromkeys([own, *foreign, *named, *found])]


def _cache_dir() -> Path:
    """Return SIDECAR_CACHE_DIR, else the platform's user cache directory."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).absolute() if named else Path(user_dir("cache"))


def _with_copies(own: Path) -> list[Path]:
    """Return the roots of kept copies: a root without sessions is not discovered."""
    kept = OwnRoot(own).kept
    return [Path(root) for root in kept_roots(kept)] if kept.is_dir() else []


def _discovered() -> list[Path]:
    from sidecar.history.discovery import discover_roots

    discovery = discover_roots()
    for place in discovery.searched:
        logger.info("%s %s (%s)", "found" if place.found else "no tasks in", place.path, place.why)
    found, searched = len(discovery.roots), len(discovery.searched)
    logger.info("autoDiscover: %d stores found in %d places", found, searched)
    return discovery.roots
