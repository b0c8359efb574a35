"""Plan the changes that connect an agent with the server, and those that undo this."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.cli.install import entry, files
from sidecar.cli.install.agents import AgentConfig, is_installed
from sidecar.cli.install.change import Change, backup_path
from sidecar.printable import printable


def plan_install(places: Sequence[Path], agent: AgentConfig, command: Sequence[str]) -> Change | None:
    """Return the change that adds the server; None if it is there already.

    It changes the file that holds the server, else the first that exists, else it creates the last one.
    Raises StorageError, and InvalidParams for a command that no configuration can hold.
    """
    _check_command(command)
    texts = {path: files.read(path) for path in _resolved(places)}
    holding = [path for path, text in texts.items() if _find(path, text, agent) is not entry.MISSING]
    existing = [path for path, text in texts.items() if text is not None]
    path = [*holding, *existing, list(texts)[-1]][0]
    before, wanted = texts[path], agent.entry(command)
    found = _find(path, before, agent)
    if found == wanted:
        return None
    with _explained(path):
        after = entry.put(before or "", agent, wanted)
        if entry.find(after, agent) != wanted:
            raise StorageError(f'{path} cannot be changed: it holds "{agent.container}" more than once')
    return Change(path, before, after, "keep" if is_installed(found) else "write")


def plan_uninstall(places: Sequence[Path], agent: AgentConfig) -> list[Change]:
    """Return the changes that remove the server and its backup wherever they are. Raises StorageError."""
    changes = (_plan_removal(path, agent) for path in _resolved(places))
    return [change for change in changes if change is not None]


def _plan_removal(path: Path, agent: AgentConfig) -> Change | None:
    """Bring the old text back if the file is as the installation wrote it, else remove only the server."""
    before, backup = files.read(path), files.read(backup_path(path))
    found = _find(path, before, agent)
    if before is None or found is entry.MISSING:
        return None if backup is None else Change(path, before, before, "drop")
    users_own = _find(backup_path(path), backup, agent)
    with _explained(path):
        if backup is not None and _is_written(backup, before, agent, found):
            return Change(path, before, backup, "drop")
        after = entry.without(before, agent, backup if is_installed(found) else before)
    return Change(path, before, after, "drop" if users_own is entry.MISSING else "keep")


def _is_written(backup: str, text: str, agent: AgentConfig, found: Any) -> bool:
    """Return whether installing this entry in the backup gives the text."""
    try:
        return entry.put(backup, agent, found) == text
    except (*entry.BadText, TypeError, AttributeError):  # the user gave the entry another shape
        return False


def _check_command(command: Sequence[str]) -> None:
    for part in command:
        try:
            part.encode()
        except UnicodeEncodeError:
            raise InvalidParams(
                f"mcp: the path {printable(part)} is not UTF-8, so no configuration can hold it; "
                "use a path in UTF-8, such as a link to it"
            ) from None


def _resolved(places: Sequence[Path]) -> list[Path]:
    return list(dict.fromkeys(files.resolved(path) for path in places))


def _find(path: Path, text: str | None, agent: AgentConfig) -> Any:
    with _explained(path):
        return entry.find(text or "", agent)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except entry.BadText as error:
        raise StorageError(f"{path} cannot be changed: {error}") from None
