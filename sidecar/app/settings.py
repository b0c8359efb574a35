"""Read settings from TOML and from clients, and check them. Each error names its key."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.api.errors import InvalidParams
from sidecar.api.mcp_servers import OWN_SERVER
from sidecar.api.settings import HostSettings, Settings
from sidecar.rpc.integers import MAX_INTEGER, too_large, with_integers
from sidecar.rpc.wording import reworded
from sidecar.user_dirs import user_dir

_SECONDS = (
    "defaultTimeoutSeconds",
    "maxTimeoutSeconds",
    "inactivityTimeoutSeconds",
    "startupTimeoutSeconds",
    "gracePeriodSeconds",
)
_MOST_SECONDS = 10 * 366 * 86_400
"""Ten years: the longest time for which a Host waits."""
MAX_FILE_BYTES = 1024 * 1024
"""The largest settings file that is read."""
HOST_KEYS: Mapping[str, frozenset[str] | None] = {
    "asyncTasks": frozenset({"max", "perRunnerMax"}),
    "budget": None,
    "fleet": None,
    "host": None,
    "journal": None,
    "runners": None,
    "history": frozenset({"retentionDays", "maxBytes", "trashDays", "keep", "keepMaxBytes"}),
}
"""The settings that concern the shared Host, whichever client sets them; None stands for a whole group."""
_FRACTIONAL = ("Seconds", "Minutes", "Cost")
"""The suffixes of settings that accept any number rather than whole numbers."""
_UNKNOWN_FIELD = re.compile(
    r"Object contains unknown field `(?P<field>[^`]*)`(?: - at `\$\.?(?P<at>[^`]*)`)?"
)
_AT = re.compile(r" - at `\$\.?(?P<at>[^`]*)`$")


class SettingsStore:
    """The current settings: those of the file, overridden by those of clients."""

    def __init__(self, file: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None) -> None:
        self._file: dict[str, Any] = dict(file or {})
        self._given: dict[str, Any] = dict(given or {})
        self.current = convert(self.raw)

    def update(self, changes: Mapping[str, Any]) -> Settings:
        """Apply `changes` to the current settings, or raise InvalidParams naming the key and apply none.

        None removes what clients have set, so that the file or the default applies again.
        """
        given = changed(self._given, changes)
        self.current = convert(merge(self._file, given))
        self._given = given
        return self.current

    @property
    def raw(self) -> Mapping[str, Any]:
        """The settings as they were given."""
        return merge(self._file, self._given)

    def raw_after(self, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what `raw` would be after an update."""
        return merge(self._file, changed(self._given, changes))


class ClientSettings:
    """The settings of one client of a shared Host: its own, and the Host's for what concerns all clients."""

    def __init__(
        self, host: SettingsStore, file: Mapping[str, Any], given: Mapping[str, Any] | None = None
    ) -> None:
        """`file` is the client's settings file, `given` overrides it.

        Raises InvalidParams naming the key, also for settings that concern the Host, which it ignores.
        """
        convert(merge(file, given or {}))
        self._host = host
        self._file, _ = split(file)
        self._given, _ = split(given or {})
        self._merged_from: Settings | None = None
        self._current: Settings = self.current

    @property
    def current(self) -> Settings:
        """The settings now."""
        if self._merged_from is not self._host.current:
            self._current = self._merged(self._given, self._host.raw)
            self._merged_from = self._host.current
        return self._current

    def check(self, changes: Mapping[str, Any]) -> None:
        """Raise InvalidParams naming the key unless `changes` can be applied."""
        own, shared = split(changes)
        self._merged(changed(self._given, own), self._host.raw_after(shared))

    def update(self, changes: Mapping[str, Any]) -> Settings:
        """Apply `changes` of the client's own settings. Raises InvalidParams and applies none.

        None removes what the client has set, as in `SettingsStore.update`.
        """
        given = changed(self._given, changes)
        self._current = self._merged(given, self._host.raw)
        self._given = given
        return self._current

    def _merged(self, given: Mapping[str, Any], of_host: Mapping[str, Any]) -> Settings:
        return convert(merge(merge(self._file, given), split(of_host)[1]))


def default_config_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the default path of the settings file."""
    return Path(user_dir("config", environment)) / "config.toml"


def user_config_dir() -> Path:
    """Return the directory for the user's settings and definitions."""
    return Path(user_dir("config"))


def load_file(path: Path | None, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Read a TOML settings file, by default that of the user. Only the default file may be absent.

    Raises InvalidParams naming the file.
    """
    chosen = path or default_config_path(environment)
    try:
        text = _read_settings(chosen)
        import tomllib  # here, because most users have no settings file

        raw = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):  # some accounts have /dev/null as their home
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


def _read_settings(path: Path) -> str:
    """Read a settings file without waiting for a pipe or a device. Raises OSError and ValueError."""
    with open(path, "rb", opener=_open_without_waiting) as file:  # Path.open has no opener
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not a regular file")
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"it is larger than {MAX_FILE_BYTES} bytes")
    return content.decode("utf-8")


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the members of `changes`. Tables are merged, other values replaced."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def changed(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `given` with the members of `changes`, as `merge` does, but without what is None there."""
    result = dict(given)
    for key, value in changes.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            result[key] = changed(old if isinstance(old, Mapping) else {}, value)
        else:
            result[key] = value
    return result


def split(raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings that are each client's own, and those that concern the shared Host."""
    own: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for key, value in raw.items():
        members = HOST_KEYS.get(key, frozenset())
        if members is None:
            shared[key] = value
        elif members and isinstance(value, Mapping):
            theirs = {name: each for name, each in value.items() if name in members}
            if theirs:
                shared[key] = theirs
            own[key] = {name: each for name, each in value.items() if name not in members}
        elif members and value is None:  # removes the whole group
            own[key] = shared[key] = None
        else:
            own[key] = value
    return own, shared


def dotted(raw: Mapping[str, Any]) -> list[str]:
    """Return the names of settings that concern the Host: `budget`, `asyncTasks.max`."""
    _, shared = split(raw)
    names = []
    for key, value in shared.items():
        names += [key] if HOST_KEYS[key] is None else [f"{key}.{name}" for name in value or ()]
    return names


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
    except UnicodeEncodeError as error:  # a name with half of a surrogate pair, which has no UTF-8
        raise InvalidParams(f"unknown setting {error.object!r}") from None
    _check_seconds(raw.get("asyncTasks", {}))
    _check_host(settings.host)
    _check_servers(settings)
    return settings


def _check_seconds(group: Mapping[str, Any]) -> None:
    for key in _SECONDS:
        value = group.get(key)
        if value is not None and value != -1 and not 0 < value < float("inf"):
            raise InvalidParams(
                f"setting asyncTasks.{key}: {value} is invalid; use more than 0 seconds, or -1 for none"
            )


def _check_host(host: HostSettings) -> None:
    minutes, seconds = host.survive_minutes, host.idle_seconds
    if minutes != -1 and not 0 <= minutes <= _MOST_SECONDS / 60:
        raise InvalidParams(
            f"setting host.surviveMinutes: {minutes:g} is invalid; use 0 minutes or more, or -1 for no limit"
        )
    if not 0 <= seconds <= _MOST_SECONDS:
        raise InvalidParams(f"setting host.idleSeconds: {seconds:g} is invalid; use 0 seconds or more")


def _check_servers(settings: Settings) -> None:
    for name, entry in settings.mcp_servers.items():
        if name == OWN_SERVER:
            raise InvalidParams(
                f"setting mcpServers.{name}: this name stands for the sidecar's own tools; use another one"
            )
        if entry.problem is not None:
            raise InvalidParams(f"setting mcpServers.{name}: {entry.problem}")


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
