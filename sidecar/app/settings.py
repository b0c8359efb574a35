"""Read settings from TOML and from clients, and check them. Each error names its key."""

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
"""The suffixes of settings that accept any number rather than whole numbers."""
_UNKNOWN_FIELD = re.compile(
    r"Object contains unknown field `(?P<field>[^`]*)`(?: - at `\$\.?(?P<at>[^`]*)`)?"
)
_AT = re.compile(r" - at `\$\.?(?P<at>[^`]*)`$")


class SettingsStore:
    """The current settings: those of the file, overridden by those of clients."""

    def __init__(self, raw: Mapping[str, Any] | None = None) -> None:
        self._raw: dict[str, Any] = dict(raw or {})
        self.current = convert(self._raw)
        _warn_of_unused(self._raw)

    def update(self, changes: Mapping[str, Any]) -> Settings:
        """Apply `changes` to the current settings, or raise InvalidParams naming the key and apply none."""
        merged = merge(self._raw, changes)
        self.current = convert(merged)
        self._raw = merged
        _warn_of_unused(changes)
        return self.current


def default_config_path() -> Path:
    """Return the default path of the settings file."""
    return user_config_dir() / "config.toml"


def user_config_dir() -> Path:
    """Return the directory for the user's settings and definitions."""
    return user_dir("config")


def load_file(path: Path | None) -> dict[str, Any]:
    """Read a TOML settings file. Only the default file may be absent.

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
    """Return `base` with the members of `changes`. Tables are merged, other values replaced."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def convert(raw: Mapping[str, Any]) -> Settings:
    """Convert plain data to Settings. Raises InvalidParams naming the key and its valid values."""
    whole = with_integers(raw)  # JSON parsers read a huge integer as a float
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
                f"setting asyncTasks.{key}: {value} is invalid; use seconds above 0, or -1 for none"
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
