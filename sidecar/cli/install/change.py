"""Plan and make a change of an agent's configuration, with a backup that undoes it exactly."""

import contextlib
import difflib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sidecar.api.errors import StorageError
from sidecar.cli.install import jsonc, toml_table
from sidecar.cli.install.agents import NAME, AgentConfig, is_installed

BACKUP_SUFFIX = ".before-subagent-sidecar"
_MISSING = object()
MAX_BYTES = 64 * 2**20
"""The largest configuration that is changed. Parsing takes about half a second for each MiB."""


@dataclass(frozen=True)
class Change:
    """The new text of a file, None to delete it, and whether to write, keep or drop the backup."""

    path: Path
    before: str | None
    after: str | None
    backup: Literal["write", "keep", "drop"]

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        was, becomes = (os.devnull if text is None else str(self.path) for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, was, becomes, n=2, lineterm=""))

    def apply(self) -> None:
        """Make the change. Raises StorageError if the file has changed since, or cannot be written."""
        backup = backup_path(self.path)
        _check_writable(self.path)
        if _read(self.path) != self.before:
            raise StorageError(f"{self.path} has changed meanwhile; run the command again")
        try:
            if self.backup == "write" and self.before is not None:
                _write(backup, self.before, self.path)
            if self.after is None:
                self.path.unlink()
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _write(self.path, self.after, self.path)
            if self.backup == "drop":
                backup.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror or error}") from None


def backup_path(path: Path) -> Path:
    """Return where the text before the installation is kept."""
    return path.with_name(path.name + BACKUP_SUFFIX)


def plan_install(path: Path, agent: AgentConfig, command: Sequence[str]) -> Change | None:
    """Return the change that adds the server; None if it is there already. Raises StorageError."""
    path = _resolved(path)
    before = _read(path)
    entry = agent.entry(command)
    with _explained(path):
        found = _entry(before or "", agent)
        if found == entry:
            return None
        bare = (before or "") if found is _MISSING else _without(before or "", agent)[0]
        insert = jsonc.insert if agent.format == "json" else toml_table.insert
        after = _like(before or "", insert(bare, agent.container, NAME, entry))
        if _entry(after, agent) != entry:
            raise StorageError(f'{path} cannot be changed: it holds "{agent.container}" more than once')
    return Change(path, before, after, "keep" if is_installed(found) else "write")


def plan_uninstall(path: Path, agent: AgentConfig) -> Change | None:
    """Return the change that removes the server, the exact old text if possible; None if it is not there.

    Raises StorageError.
    """
    path = _resolved(path)
    before = _read(path)
    with _explained(path):
        if before is None or _entry(before, agent) is _MISSING:
            return None
        backup = _read(backup_path(path))
        if backup is not None and _rest(backup, agent) == _rest(before, agent):
            after: str | None = backup
        else:
            candidates = _without(before, agent)
            after = candidates[0] if backup is not None or _parse(candidates[-1], agent) else None
    return Change(path, before, after, "drop")


def _rest(text: str, agent: AgentConfig) -> dict[str, Any]:
    """Return the values of a text but the server, and its container only if it has others."""
    values = _parse(text, agent)
    servers = values.pop(agent.container, {})
    if isinstance(servers, dict):
        servers.pop(NAME, None)
    return values if servers == {} else {**values, agent.container: servers}


def _parse(text: str, agent: AgentConfig) -> dict[str, Any]:
    return jsonc.parse(text) if agent.format == "json" else toml_table.parse(text)


def _entry(text: str, agent: AgentConfig) -> Any:
    servers = _parse(text, agent).get(agent.container)
    return servers.get(NAME, _MISSING) if isinstance(servers, dict) else _MISSING


def _without(text: str, agent: AgentConfig) -> list[str]:
    """Return the text without the entry, and also without its container if that is empty then."""
    if agent.format == "toml":
        return [toml_table.remove(text, agent.container, NAME)]
    left = jsonc.remove(text, agent.container, NAME)
    if jsonc.parse(left)[agent.container]:
        return [left]
    return [left, jsonc.remove(left, agent.container, NAME, with_container=True)]


@contextlib.contextmanager
def _explained(path: Path) -> Any:
    try:
        yield
    except (jsonc.BadJson, toml_table.BadToml) as error:
        raise StorageError(f"{path} cannot be changed: {error}") from None


def _resolved(path: Path) -> Path:
    """Return the file that links lead to. Raises StorageError if they lead nowhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop is a RuntimeError before Python 3.13
        raise StorageError(f"{path} cannot be read: its links form a loop") from None


def _like(model: str, text: str) -> str:
    """Return a text with the line breaks of a model that has CR LF only."""
    only_crlf = model.count("\n") == model.count("\r\n") > 0
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if only_crlf else text


def _check_writable(path: Path) -> None:
    """Raise StorageError if a file exists that its owner may not write."""
    with contextlib.suppress(FileNotFoundError):
        if not path.stat().st_mode & stat.S_IWUSR:
            raise StorageError(f"{path} is read-only; make it writable and run the command again")


def _read(path: Path) -> str | None:
    if path.exists() and not path.is_file():
        raise StorageError(f"{path} cannot be read: it is not a regular file")
    if path.exists() and path.stat().st_size > MAX_BYTES:
        raise StorageError(
            f"{path} has more than {MAX_BYTES >> 20} MiB; make it smaller, or add the server to it by hand"
        )
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be read: {error}") from None


def _write(path: Path, text: str, like: Path) -> None:
    """Replace a file at once, with the mode of another one; a new file is private."""
    try:
        mode = stat.S_IMODE(like.stat().st_mode)
    except FileNotFoundError:
        mode = 0o600
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            temporary.chmod(mode)
            file.write(text.encode("utf-8"))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
