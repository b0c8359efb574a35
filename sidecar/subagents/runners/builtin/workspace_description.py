"""Describe a workspace to an agent: the environment and the project's rules for agents.

The description follows the task in the first prompt, so that the definition's prompt comes first.
"""

import datetime
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from sidecar.subagents.runners.builtin.git_state import git_state
from sidecar.subagents.runners.builtin.tools.files import open_file
from sidecar.subagents.runners.builtin.tools.listing import TooMany, files_below
from sidecar.subagents.runners.builtin.tools.workspace import ToolError, Workspace

NAMES = ("AGENTS.md", "CLAUDE.md")
"""Files with rules for agents, as several products name them."""
MAX_BYTES = 32 * 1024
"""The most of one such file that the model gets."""
MAX_NESTED = 20

_TASK_FIRST = "Where these rules and the task above disagree, follow the task."


def describe_workspace(root: Path, *, is_trusted: bool) -> str:
    """Return the description of the workspace `root`; its git state and rules only if it `is_trusted`.

    Read files and run git, within bounds.
    """
    if not is_trusted:
        return "\n".join(_surroundings(root))
    return "\n\n".join(["\n".join([*_surroundings(root), *git_state(root)]), *_rules(Workspace(root))])


def _surroundings(root: Path) -> list[str]:
    shell = os.environ.get("COMSPEC", "cmd.exe") if os.name == "nt" else "/bin/sh"
    return [
        "The environment of this task when it started:",
        f"- date: {datetime.datetime.now().astimezone():%A, %Y-%m-%d}",
        f"- system: {platform.system()} {platform.release()} ({platform.machine()}); commands run in {shell}",
        f"- folder: {root}",
    ]


def _rules(workspace: Workspace) -> Iterator[str]:
    known: set[str] = set()
    for name in NAMES:
        text = _text(workspace, name)
        if text and text not in known:
            known.add(text)
            yield f"Rules of this project for agents, from its {name}. {_TASK_FIRST}\n\n{text}"
    if nested := list(_nested(workspace.root)):
        paths = "\n".join(f"- {path}" for path in nested)
        yield f"Rules for parts of this project; read them before you change files in their folders:\n{paths}"


def _text(workspace: Workspace, name: str) -> str:
    try:
        with open_file(workspace.resolve(name)) as file:
            data = file.read(MAX_BYTES + 1)
    except ToolError:  # most projects have one of them or none
        return ""
    cut = "\n[cut; read the file for the rest]" if len(data) > MAX_BYTES else ""
    return data[:MAX_BYTES].decode("utf-8", "replace").strip() + cut


def _nested(root: Path) -> Iterator[str]:
    found = 0
    try:
        for path in files_below(root):
            folder, _, name = path.rpartition("/")
            if folder and name in NAMES:
                yield path
                found += 1
                if found == MAX_NESTED:
                    return
    except TooMany:
        return
