"""Read the instruction files of a workspace for agents that ignore them together with its settings."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.runners.acp.agents.repository import folders

MAX_BYTES = 32 * 1024
"""The most bytes of one file that the agent gets."""
_CUT = "\n[cut; read the file for the rest]"
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def instructions(workspace: Path, names: Iterable[str]) -> str:
    """Return the texts of the files `names` in the folders from the repository's root to the workspace.

    Empty if no file exists. Does not follow links out of the repository. Blocking.
    """
    places = list(folders(workspace))[::-1]
    if not places or not (places[0] / ".git").exists():
        places = [workspace]  # without a repository, the parent folders are not part of the project
    parts = list(dict.fromkeys(_parts(places, list(names))))
    return "\n\n".join(parts)


def _parts(places: list[Path], names: list[str]) -> Iterator[str]:
    for folder in places:
        for name in names:
            if text := _text(places[0], folder / name):
                yield f"Instructions of this project for agents, from {folder / name}:\n\n{text}"


def _text(root: Path, path: Path) -> str:
    real, real_root = real_path(path), real_path(root)
    if real is None or real_root is None or not Path(real).is_relative_to(real_root):
        return ""
    if not Path(real).is_file():
        return ""
    try:
        with open(os.open(real, _FLAGS), "rb") as file:  # noqa: PTH123 (opening a pipe must not block)
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return ""
    text = data[:MAX_BYTES].decode("utf-8", "replace").strip()
    return f"{text}{_CUT}" if len(data) > MAX_BYTES else text
