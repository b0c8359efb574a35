"""Where Qwen Code keeps its chats below a root."""

import os
from collections.abc import Iterator
from typing import Final

from sidecar.history.stores.sessions.folders import Folders

PLACES: Final = ("projects", "tmp")
"""The folders of projects, and where they were before."""
CHATS: Final = "chats"
SUFFIX: Final = ".jsonl"


def chat_paths(root: str, folders: Folders) -> Iterator[os.DirEntry[str]]:
    """Find the chat files of a store; links are not followed."""
    for place in PLACES:
        for project in folders.subfolders(f"{root}{os.sep}{place}"):
            for entry in folders.entries_by_name(f"{project.path}{os.sep}{CHATS}"):
                if entry.name.endswith(SUFFIX) and not entry.is_dir(follow_symlinks=False):
                    yield entry
