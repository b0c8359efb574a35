"""Stores of newer products in formats that are not read yet: recognised, so that nothing is passed over."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sidecar.api.tasks import Product

_LOOKED_AT: Final = 5_000
"""Directory entries counted at most; the report says so by a plus sign."""
_KILO: Final = "Kilo 7 or newer"


@dataclass(frozen=True, slots=True)
class UnsupportedStore:
    """A store of sessions nobody here can read; their number is None where only opening it would tell."""

    path: str
    product: Product
    writer: str
    sessions: int | None

    def __str__(self) -> str:
        """Say what is there, as `3 sessions of WRITER`."""
        if self.sessions is None:
            return f"sessions of {self.writer}"
        more = "+" if self.sessions >= _LOOKED_AT else ""
        return f"{self.sessions}{more} session{'s' * (self.sessions != 1)} of {self.writer}"


def unsupported_stores(
    roots: Iterable[str], home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[UnsupportedStore]:
    """Find the stores of Cline 4 and Kilo 7 beside `roots` and, with a `home`, where they lie by default.

    Only directory entries are looked at.
    """
    environ = os.environ if environ is None else environ
    bases = [*map(Path, roots), *(_default_bases(home, environ) if home else ())]
    databases = [Path(environ["KILO_DB"])] if home and environ.get("KILO_DB") else []
    stores = [store for base in bases for store in (_cline(base), _kilo_files(base))]
    stores += [_kilo_database(path) for path in (*databases, *(base / "kilo.db" for base in bases))]
    found: dict[str, UnsupportedStore] = {}
    for store in filter(None, stores):
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
    count = sum((sessions / name / f"{name}.json").is_file() for name in _names(sessions))
    return UnsupportedStore(str(sessions), "cline", "Cline 4 or newer", count) if count else None


def _kilo_files(base: Path) -> UnsupportedStore | None:
    """The first Kilo 7 kept `storage/session/<project>/<id>.json`."""
    sessions, count = base / "storage" / "session", 0
    for project in _names(sessions):
        count += sum(name.endswith(".json") for name in _names(sessions / project))
        if count >= _LOOKED_AT:
            break
    return UnsupportedStore(str(sessions), "kilo", _KILO, count) if count else None


def _kilo_database(path: Path) -> UnsupportedStore | None:
    """Kilo since 7.2 keeps all sessions in one SQLite file; even to read it would leave files beside it."""
    return UnsupportedStore(str(path), "kilo", _KILO, None) if path.is_file() else None


def _names(path: Path) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry, _ in zip(entries, range(_LOOKED_AT), strict=False)]
    except OSError:
        return []
