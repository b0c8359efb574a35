"""Open the stored tasks for a command, and report what cannot be shown."""

from pathlib import Path

import click

from sidecar.app.clock import history_clock_ms
from sidecar.app.roots import WantedRoots, default_storage_root, index_dir, kept_dir
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.history import TaskHistory
from sidecar.history.stores.parallel import in_two_processes


def open_history(roots: tuple[Path, ...], store: SettingsStore) -> TaskHistory:
    """Return the history of the named roots, else of the own root and the roots in the settings."""
    chosen = [root.absolute() for root in roots]
    if not chosen:
        chosen = [*WantedRoots.of(default_storage_root(), (), store.current.history).find()]
    history = TaskHistory(
        chosen, now=history_clock_ms, cache=index_dir(), parallel=in_two_processes, kept=kept_dir()
    )
    click.get_current_context().call_on_close(history.close)
    return history


def report_unlistable(history: TaskHistory) -> int:
    """Report on stderr the roots and folders that cannot be listed; return the exit code."""
    found: list[str] = []
    for root in history.roots:
        why = history.store(root.path).unlistable()
        unlisted = [f"{each.path}: {each.message}" for each in history.unlisted([root.path])]
        if why is not None and not (unlisted and history.shows_any(root.path)):
            found.append(f"{root.path}: the tasks cannot be listed: {why}")
        else:
            found += unlisted
    for line in found:
        output.echo_line(line, err=True)
    return exits.FAILED if found else exits.DONE


def tell_other_holders(history: TaskHistory, task_id: str, root: str) -> None:
    """Report on stderr that other roots have a task with the same ID, and how to show it."""
    for other in history.other_holders(task_id, root):
        note = (
            f"Showing the task in {root}. {other.path} has a task with this ID too: use --root {other.path}"
        )
        output.echo_line(note, err=True)
