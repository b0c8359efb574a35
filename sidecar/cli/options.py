"""Options that several commands share."""

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sidecar import __version__
from sidecar.app.roots import default_storage_root
from sidecar.app.settings import SettingsStore, load_file
from sidecar.cli import output

F = TypeVar("F", bound=Callable[..., Any])

_LEVELS = ["debug", "info", "warning", "error"]


class _LogHandler(logging.Handler):
    """Print log records on stderr with the same function as all output."""

    has_printed = False

    def emit(self, record: logging.LogRecord) -> None:
        _LogHandler.has_printed = True
        try:
            output.echo(self.format(record), err=True)
        except Exception:
            self.handleError(record)


def has_logged() -> bool:
    """Return whether the command has printed log messages."""
    return _LogHandler.has_printed


def common(function: F) -> F:
    """Add --config, --log-level and --version; the command receives the file's settings as `store`."""

    @process_options
    @functools.wraps(function)
    def wrapper(*args: Any, config: Path | None, log_level: str, **kwargs: Any) -> Any:
        _LogHandler.has_printed = False
        logging.basicConfig(
            level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s", handlers=[_LogHandler()]
        )
        return function(*args, store=SettingsStore(load_file(config)), **kwargs)

    return wrapper  # type: ignore[return-value]  # same signature without the two options


def process_options(function: F) -> F:
    """Add --config, --log-level and --version, passed on unchanged."""
    function = click.option("--config", type=click.Path(path_type=Path), help="Settings file (TOML).")(
        function
    )
    function = click.option(
        "--log-level",
        type=click.Choice(_LEVELS),
        default="warning",
        help="Minimum level of log messages on stderr.",
    )(function)
    return click.version_option(__version__, prog_name="subagent-sidecar", message="%(prog)s %(version)s")(
        function
    )


def storage_root(function: F) -> F:
    """Add --storage-root, resolved to the own root."""

    @click.option(
        "--storage-root", type=click.Path(path_type=Path), help="Use this folder as the sidecar's own root."
    )
    @functools.wraps(function)
    def wrapper(*args: Any, storage_root: Path | None, **kwargs: Any) -> Any:
        return function(*args, own_root=storage_root or default_storage_root(), **kwargs)

    return wrapper  # type: ignore[return-value]  # as above


def foreign_roots(function: F) -> F:
    """Add the repeatable, read-only --root; each must exist."""
    return click.option(
        "--root",
        "roots",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder with sessions, such as ~/.claude or one that contains tasks/. It is only read. Can be "
        "repeated.",
    )(function)


def workspace(function: F) -> F:
    """Add --workspace and --trust, for commands that read definitions."""
    return click.option("--trust", is_flag=True, help="Also use the definitions of the workspace.")(
        workspace_folder(function)
    )


def workspace_folder(function: F) -> F:
    """Add --workspace."""
    return click.option(
        "--workspace",
        type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True),
        default=Path(),
        help="The workspace, also the working directory of a run (default: the current directory).",
    )(function)
