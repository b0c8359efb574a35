"""Settings: read from TOML and from clients, checked, with every problem named by its key."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.api.errors import InvalidParams
from sidecar.api.settings import Settings
from sidecar.app.user_dirs import user_dir
from sidecar.rpc.integers import MAX_INTEGER, too_large, with_integers
from sidecar.rpc.wording import reworded

logger = logging.getLogger(__name__)

_SECONDS = (
    "defaultTimeoutSeconds",
    "maxTimeoutSeconds",
    "inactivityTimeoutSeconds",
    "startupTimeoutSeconds",
    "gracePeriodSeconds",
)
_FRACTIONAL = ("Seconds", "Minutes", "Cost")
"""How the names of settings end that take any number."""
_UNKNOWN_FIELD = re.compile(
    r"Object contains unknown field `(?P<field>[^`]*)`(?: - at `\$\.?(?P<at>[^`]*)`)?"
)
_AT = re.compile(r" - at `\$\.?(?P<at>[^`]*)`$")


class SettingsStore:
    """Holds the settings in force as layers: the file's, then what clients sent."""

    def __init__(self, raw: Mapping[str, Any] | None = None) -> None:
        self._raw: dict[str, Any] = dict(raw or {})
        self.current = convert(self._raw)
        _warn_of_unused(self._raw)

    def update(self, changes: Mapping[str, Any]) -> Settings:
        """Lay `changes` over the settings in force; an error leaves them unchanged.

        Raises InvalidParams naming the key.
        """
        merged = merge(self._raw, changes)
        self.current = convert(merged)
        self._raw = merged
        _warn_of_unused(changes)
        return self.current


def default_config_path() -> Path:
    """Return the settings file that is read when none is named."""
    return user_config_dir() / "config.toml"


def user_config_dir() -> Path:
    """Return the directory of the user's settings and definitions."""
    return user_dir("config")


def load_file(path: Path | None) -> dict[str, Any]:
    """Read a TOML settings file; the default one may be absent, a named one may not.

    Raises InvalidParams naming the file.
    """
    chosen = path or default_config_path()
    try:
        with chosen.open("rb") as file:
            import tomllib  # here, because most users have no settings file

            raw = tomllib.load(file)
    except FileNotFoundError:
        if path is None:
            return {}
        raise InvalidParams(f"settings file {chosen} does not exist") from None
    except (OSError, ValueError) as error:
        raise InvalidParams(f"settings file {chosen}: {error}") from None
    try:
        convert(raw)
    except InvalidParams as error:
        raise InvalidParams(f"settings file {chosen}: {error.message}") from None
    return raw


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the members of `changes` in place; tables merge, all else replaces."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def convert(raw: Mapping[str, Any]) -> Settings:
    """Turn plain data into Settings. Raises InvalidParams naming the key and what it takes."""
    whole = with_integers(raw)  # a huge integer in JSON has become a float
    for path, value in too_large(whole):
        if not path.endswith(_FRACTIONAL):
            limits = f"-{MAX_INTEGER} and {MAX_INTEGER}"
            raise InvalidParams(f"setting {path[1:]}: {value} is not between {limits}")
    try:
        settings = msgspec.convert(whole, Settings)
    except msgspec.ValidationError as error:
        raise InvalidParams(_explain(str(error))) from None
    _check_seconds(raw.get("asyncTasks", {}))
    return settings


def _warn_of_unused(raw: Mapping[str, Any]) -> None:
    """Log each setting that is accepted but has no effect yet."""
    for key in raw.get("host") or {}:
        logger.warning("setting host.%s has no effect yet", key)


def _check_seconds(group: Mapping[str, Any]) -> None:
    for key in _SECONDS:
        value = group.get(key)
        if value is not None and value != -1 and not 0 < value < float("inf"):
            raise InvalidParams(
                f"setting asyncTasks.{key}: {value} is not a number of seconds above 0, nor -1 for none"
            )


def _explain(text: str) -> str:
    unknown = _UNKNOWN_FIELD.match(text)
    if unknown:
        name = ".".join(part for part in (unknown["at"], unknown["field"]) if part)
        return f"unknown setting {name}"
    place = _AT.search(text)
    if place:
        key, problem = place["at"], text[: place.start()]
        return f"setting {key}: {reworded(problem, f'.{key}', Settings)}"
    return f"settings: {reworded(text, '', Settings)}"
