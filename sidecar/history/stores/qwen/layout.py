"""Where Qwen Code keeps its chats below a root.

`projects/<project>/chats/<session>.jsonl`, and those of subagents in `subagents/<session>/` of the project.
"""

import os
from collections.abc import Iterator
from typing import Final

from sidecar.history.stores.sessions.folders import Folders

PLACES: Final = ("projects", "tmp")
"""The folders of projects, and where they were before."""
CHATS: Final = "chats"
SUBAGENTS: Final = "subagents"
AGENT: Final = "agent-"
SUFFIX: Final = ".jsonl"


def chat_paths(root: str, folders: Folders) -> Iterator[os.DirEntry[str]]:
    """Find the chat files of a store; links are not followed."""
    for place in PLACES:
        for project in folders.subfolders(f"{root}{os.sep}{place}"):
            for entry in folders.entries_by_name(f"{project.path}{os.sep}{CHATS}"):
                if entry.name.endswith(SUFFIX) and not entry.is_dir(follow_symlinks=False):
                    yield entry


def agent_paths(root: str, folders: Folders) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Find the files of subagents, each with the session in whose folder it is; links are not followed."""
    for project in folders.subfolders(f"{root}{os.sep}{PLACES[0]}"):
        for session in folders.subfolders(f"{project.path}{os.sep}{SUBAGENTS}"):
            for entry in folders.entries_by_name(session.path):
                if is_agent(entry.name) and not entry.is_dir(follow_symlinks=False):
                    yield session.name, entry


def is_agent(name: str) -> bool:
    """Return whether a file of this name is that of a subagent."""
    return name.startswith(AGENT) and name.endswith(SUFFIX)
