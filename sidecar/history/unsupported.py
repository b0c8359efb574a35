"""Stores of newer products in formats that are not read yet: recognised, so that nothing is passed over."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sidecar.api.tasks import Product

_LOOKED_AT: Final = 5_000
"""Directory entries counted at most; the report says so by a plus sign."""


@dataclass(frozen=True, slots=True)
class UnsupportedStore:
    """A store that holds sessions nobody here can read; `sessions` is a count as text."""

    path: str
    product: Product
    writer: str
    sessions: str


def unsupported_stores(
    roots: Iterable[str], home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[UnsupportedStore]:
    """Find the stores of Cline 4 and Kilo 7 beside `roots` and, with a `home`, where they lie by default.

    Only directory entries are looked at.
    """
    found: dict[str, UnsupportedStore] = {}
    bases = [*map(Path, roots), *(_default_bases(home, environ or os.environ) if home else ())]
    for base in bases:
        for store in (_cline(base), _kilo(base)):
            if store is not None:
                found.setdefault(os.path.realpath(store.path), store)
    return list(found.values())


def _default_bases(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Cline's data directory, which two variables move, and Kilo's below the XDG data directory."""
    cline = environ.get("CLINE_DIR") or str(home / ".cline")
    data = environ.get("CLINE_DATA_DIR") or str(Path(cline) / "data")
    share = environ.get("XDG_DATA_HOME") or str(home / ".local" / "share")
    return [Path(data), Path(share) / "kilo"]


def _cline(base: Path) -> UnsupportedStore | None:
    """Cline from version 4 on keeps `sessions/<id>/<id>.json`."""
    sessions = base / "sessions"
    names = [name for name in _directories(sessions) if (sessions / name / f"{name}.json").is_file()]
    if not names:
        return None
    return UnsupportedStore(str(sessions), "cline", "Cline 4 or newer", _count(names))


def _kilo(base: Path) -> UnsupportedStore | None:
    """Kilo from version 7 on keeps the sessions of its command line below `storage/session/`."""
    sessions = base / "storage" / "session"
    names = _directories(sessions)
    return UnsupportedStore(str(sessions), "kilo", "Kilo 7 or newer", _count(names)) if names else None


def _count(names: list[str]) -> str:
    return f"{len(names)}{'+' if len(names) == _LOOKED_AT else ''}"


def _directories(path: Path) -> list[str]:
    names: list[str] = []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                if len(names) == _LOOKED_AT:
                    break
    except OSError:
        return []
    return names
