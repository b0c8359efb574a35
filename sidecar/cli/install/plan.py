"""Plan the changes that connect an agent with the server, and those that undo this."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.cli.install import entry, files
from sidecar.cli.install.agents import NAME, AgentConfig, is_installed, updated
from sidecar.cli.install.change import Backup, Change, backup_path
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
    before = texts[path]
    found = _find(path, before, agent)
    wanted = updated(found, agent.entry(command))
    if found == wanted:
        return None
    with _explained(path):
        after = entry.put(before or "", agent, wanted)
        if entry.find(after, agent) != wanted:
            raise StorageError(f'{path} cannot be changed: it holds "{agent.container}" more than once')
    return Change(path, before, after, _backup_of(path, before, found, agent))


def _backup_of(path: Path, before: str | None, found: Any, agent: AgentConfig) -> Backup:
    """Return what to do with the backup. Raises StorageError if it alone holds an entry of the user's own."""
    if is_installed(found):
        return "keep"
    backup = backup_path(path)
    own = _find_in_backup(backup, files.read(backup), agent)
    if own is not entry.MISSING and own != found:
        raise StorageError(
            f"{backup} holds your own {NAME} from before an earlier installation; "
            "move or remove this file and run the command again"
        )
    return "drop" if before is None else "write"


def plan_uninstall(places: Sequence[Path], agent: AgentConfig) -> list[Change]:
    """Return the changes that remove the server and its backup wherever they are. Raises StorageError."""
    changes = (_plan_removal(path, agent) for path in _resolved(places))
    return [change for change in changes if change is not None]


def _plan_removal(path: Path, agent: AgentConfig) -> Change | None:
    """Bring the old text back if the file is as the installation wrote it, else remove only the server."""
    before, backup = files.read(path), files.read(backup_path(path))
    found = _find(path, before, agent)
    users_own = _find_in_backup(backup_path(path), backup, agent)
    if before is None or found is entry.MISSING:  # a backup with an entry of the user's own is the only copy
        is_needless = backup is not None and users_own is entry.MISSING
        return Change(path, before, before, "drop") if is_needless else None
    with _explained(path):
        if backup is not None and (is_installed(found) or users_own is entry.MISSING):
            restored = entry.restored(before, agent, backup)
            if restored is not None and _find(path, restored, agent) == users_own:
                return Change(path, before, restored, "drop")
        after = entry.without(before, agent, backup if is_installed(found) else before)
    return Change(path, before, after, "drop" if users_own is entry.MISSING else "keep")


def _check_command(command: Sequence[str]) -> None:
    for part in command:
        try:
            part.encode()
        except UnicodeEncodeError:
            raise InvalidParams(
                f"mcp: the path {printable(part)} is not UTF-8, so no configuration can contain it; "
                "use a path in UTF-8, such as a link to it"
            ) from None


def _resolved(places: Sequence[Path]) -> list[Path]:
    return list(dict.fromkeys(files.resolved(path) for path in places))


def _find(path: Path, text: str | None, agent: AgentConfig) -> Any:
    with _explained(path):
        return entry.find(text or "", agent)


def _find_in_backup(path: Path, text: str | None, agent: AgentConfig) -> Any:
    """Return the user's own entry, or MISSING."""
    with _explained(path, "cannot be used; remove it and run the command again"):
        found = entry.find(text or "", agent)
    return entry.MISSING if is_installed(found) else found


@contextlib.contextmanager
def _explained(path: Path, what: str = "cannot be changed") -> Iterator[None]:
    try:
        yield
    except entry.BadText as error:
        raise StorageError(f"{path} {what}: {error}") from None
