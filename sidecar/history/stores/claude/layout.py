"""Where Claude Code keeps its sessions below a root, and what a path there is.

`projects/<project>/<session>.jsonl`, subagents in `<session>/subagents/` or deeper, and in older versions
as `agent-<id>.jsonl` next to the session.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sidecar.history.stored.texts import is_encodable
from sidecar.history.stores.sessions.folders import Folders

PROJECTS: Final = "projects"
SUBAGENTS: Final = "subagents"
SUFFIX: Final = ".jsonl"
AGENT: Final = "agent-"
_SESSION: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DEEPEST: Final = 4
"""How many folders below `subagents` are searched."""


DEEPEST: Final = 4 + _DEEPEST
"""How many folders deep the files of subagents are below `projects`."""


class SessionFile(NamedTuple):
    """One file; `parent` is the session of a subagent as its folder names it."""

    key: str
    path: str
    parent: str | None = None


def is_session(key: str) -> bool:
    """Return whether a key is the ID of a session or a subagent inside of its file."""
    return _SESSION.fullmatch(key) is not None


def chain_key(first: str) -> str:
    """Return the ID of a subagent inside of a file, from that of its first record."""
    if is_session(first):
        return first
    from hashlib import sha256  # here, because IDs of records are rarely of another form
    from uuid import UUID

    return str(UUID(bytes=sha256(first.encode("utf-8", "surrogatepass")).digest()[:16], version=5))


def is_agent(key: str) -> bool:
    """Return whether a key is that of a subagent with a file of its own."""
    return key.startswith(AGENT)


def key_of(name: str) -> str | None:
    """Return the key of a file name, None if it is not that of a session or subagent."""
    if not name.endswith(SUFFIX):
        return None
    stem = name[: -len(SUFFIX)]
    return stem if _SESSION.fullmatch(stem) or _is_agent_name(stem) else None


def _is_agent_name(stem: str) -> bool:
    return stem.startswith(AGENT) and is_encodable(stem)


def session_files(root: str, folders: Folders) -> Iterator[SessionFile]:
    """Find the files of all sessions and subagents; links and unreadable folders are skipped."""
    for project in folders.entries(f"{root}{os.sep}{PROJECTS}"):
        if folders.is_folder(project):
            files, agents = sessions_in(project.path, folders)
            yield from files
            for folder in agents:
                yield from agents_in(folder, folders)


def copied_file(key: str, path: str, copy: str) -> SessionFile:
    """Return the kept copy of a session's file; `path` is the original's below the root, with slashes."""
    return SessionFile(key, copy, session_of(path.split("/")))


def project_folders(root: str, folders: Folders) -> list[str]:
    """Return the folders of projects, relative to the root."""
    entries = folders.entries(f"{root}{os.sep}{PROJECTS}")
    return [f"{PROJECTS}{os.sep}{entry.name}" for entry in entries if entry.is_dir(follow_symlinks=False)]


def session_of(parts: Sequence[str]) -> str | None:
    """Return the session in whose folder a path is, given its parts below the root."""
    return parts[2] if len(parts) > 3 and is_session(parts[2]) else None


def sessions_in(folder: str, folders: Folders) -> tuple[list[SessionFile], list[str]]:
    """Return the files in the folder of a project, and the folders of its sessions' subagents."""
    files, agents = [], []
    for entry in folders.entries(folder):
        name = entry.name
        if name.endswith(SUFFIX):
            key = key_of(name)
            if key is None:
                folders.is_named(entry)  # remembers a name that cannot be an ID
            elif not entry.is_dir(follow_symlinks=False):
                files.append(SessionFile(key, entry.path))
        elif _SESSION.fullmatch(name) and folders.is_folder(entry):
            agents.append(f"{entry.path}{os.sep}{SUBAGENTS}")
    return files, agents


def agents_in(folder: str, folders: Folders) -> Iterator[SessionFile]:
    """Find the files of a session's subagents."""
    session = os.path.basename(os.path.dirname(folder))  # noqa: PTH119, PTH120 (roots keep texts)
    return _agents(folder, session, _DEEPEST, folders)


def _agents(folder: str, session: str, levels: int, folders: Folders) -> Iterator[SessionFile]:
    for entry in folders.entries(folder):
        if entry.name.endswith(SUFFIX) and entry.name.startswith(AGENT):
            if folders.is_named(entry):
                yield SessionFile(entry.name.removesuffix(SUFFIX), entry.path, session)
        elif levels and folders.is_folder(entry):
            yield from _agents(entry.path, session, levels - 1, folders)
