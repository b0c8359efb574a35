"""The paths of the sidecar's own root and of its caches."""

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from sidecar.api.settings import HistorySettings
from sidecar.storage.kept.copies import kept_roots
from sidecar.storage.layout import OwnRoot
from sidecar.user_dirs import cache_dir, default_root

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WantedRoots:
    """The roots whose tasks are listed: the own one, named ones and, on request, those on this machine."""

    own: Path
    named: tuple[Path, ...] = ()
    discovers: bool = False

    @classmethod
    def of(cls, own: Path, foreign: Iterable[Path], settings: HistorySettings) -> "WantedRoots":
        """Name the `foreign` roots before those of the settings."""
        named = dict.fromkeys([*foreign, *map(Path, settings.foreign_roots)])
        return cls(own, tuple(named), settings.auto_discover)

    def find(self, known: Collection[Path] = ()) -> tuple[Path, ...]:
        """Return all roots that exist now. Those `known` from an earlier call stay, even if empty."""
        found = _discovered(known) if self.discovers else []
        if self.discovers and not known:
            found += _with_copies(self.own)  # copies are made of known roots only
        return tuple(dict.fromkeys([self.own, *self.named, *found, *known]))


def default_storage_root() -> Path:
    """Return SIDECAR_STORAGE_ROOT, else the platform's user data directory."""
    return Path(default_root())


def index_dir() -> Path:
    """Return the directory of the indexes of stored tasks."""
    return Path(cache_dir(), "index")


def search_dir() -> Path:
    """Return the directory of the search indexes."""
    return Path(cache_dir(), "search")


def kept_dir() -> Path:
    """Return the folder of kept copies in the default root."""
    return OwnRoot(default_storage_root()).kept


def _with_copies(own: Path) -> list[Path]:
    """Return the roots of kept copies: a root without sessions is not discovered."""
    kept = OwnRoot(own).kept
    return [Path(root) for root in kept_roots(kept)] if kept.is_dir() else []


def _discovered(known: Collection[Path]) -> list[Path]:
    """Return the roots on this machine. Log all places at first, and later what is new."""
    from sidecar.history.discovery import discover_roots

    discovery = discover_roots(known=known)
    new = [place for place in discovery.searched if not known or (place.found and place.path not in known)]
    for place in new:
        logger.info("%s %s (%s)", "found" if place.found else "no tasks in", place.path, place.why)
    if new:
        found, searched = len(discovery.roots), len(discovery.searched)
        logger.info("autoDiscover: %d stores found in %d places", found, searched)
    return discovery.roots
