"""List folders and read the heads of files of other programs, without following links."""

import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.reading import open_stored
from sidecar.history.stored.texts import is_encodable
from sidecar.history.stores.contract import SharedProblem

HEAD_BYTES: Final = 4_096
END_BYTES: Final = 1 << 16
MAX_ENTRIES: Final = 200_000
"""How many entries of one folder are listed: each costs about 2 KB of memory and 50 µs."""
_MOST_OPENED: Final = 5_000
"""How many files are opened to find some that are not empty."""
PADDING: Final = b"\0 \t\r\n"
_MOST_PADDING: Final = 64 << 20
"""How many bytes of padding at the start of a file are skipped at most."""
_LASTING: Final = frozenset((errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG))
"""Errors of the listing of a folder after which it cannot be listed in a moment either."""
_STRANGE_NAME: Final = Problem(
    code="strangeName", message="is not listed: its name is not UTF-8, so no session can have it as its ID"
)


class Folders:
    """List the folders of a store, and remember what is missing in lists of sessions. Thread-safe."""

    def __init__(self) -> None:
        self._failed: dict[str, None] = {}
        self._missed: dict[str, str] = {}
        """Why folders could not be listed that may be listed in a moment."""
        self._links: dict[str, None] = {}
        self._unnamed: dict[str, None] = {}
        self._crowded: dict[str, None] = {}

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """List a folder in any order; one that is missing or cannot be listed has no entries.

        Of more than `MAX_ENTRIES`, the rest is left out and the folder remembered.
        """
        try:
            with os.scandir(folder) as entries:
                found = list(islice(entries, MAX_ENTRIES + 1))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            found = []
        except OSError as error:
            self._failed[folder] = None
            if is_momentary(error):
                self._missed[folder] = error.strerror or str(error)
            else:
                self._missed.pop(folder, None)
            return []
        self._failed.pop(folder, None)
        self._missed.pop(folder, None)
        self._crowded.pop(folder, None)
        if len(found) > MAX_ENTRIES:
            self._crowded[folder] = None
            found.pop()
        return found

    def was_listed(self, folder: str) -> bool:
        """Return whether a folder could be listed, or was missing, the last time."""
        return folder not in self._failed

    def entries_by_name(self, folder: str) -> list[os.DirEntry[str]]:
        """List a folder in the order of names; a link has no entries either."""
        if os.path.islink(folder):  # noqa: PTH114 (roots keep texts)
            self._links[folder] = None
            return []
        self._links.pop(folder, None)
        return sorted(self.entries(folder), key=lambda entry: entry.name)

    def subfolders(self, folder: str) -> list[os.DirEntry[str]]:
        """List the folders in a folder by name, without links."""
        return [entry for entry in self.entries_by_name(folder) if self.is_folder(entry)]

    def is_folder(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry is a folder, and remember one that is a link."""
        if entry.is_symlink():
            self._links[entry.path] = None
        return entry.is_dir(follow_symlinks=False)

    def is_named(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry's name can be an ID, and remember one that is not UTF-8."""
        if is_encodable(entry.name):
            return True
        self._unnamed[entry.path] = None
        return False

    def missed(self) -> list[str]:
        """Return the folders that could not be listed for a moment, and were not listed since."""
        missed = [*self._missed] if self._missed else []
        return [folder for folder in missed if folder not in self._links and _may_be_folder(folder)]

    def may_hold(self, paths: Collection[str] | None) -> bool:
        """Return whether a file with one of these paths, None if they are not known, may have been missed."""
        missed = [f"{folder}{os.sep}" for folder in self.missed()]
        return bool(missed) and (paths is None or any(path.startswith(tuple(missed)) for path in paths))

    def unlistable(self) -> list[SharedProblem]:
        """Return what cannot be listed or was missed, and folders that are links to other places, and why."""
        missed = {folder: self._missed.get(folder) for folder in self.missed()}
        found = ((folder, missed.get(folder) or why_unlistable(folder)) for folder in sorted([*self._failed]))
        failed = [unlistable_folder(folder, why) for folder, why in found if why is not None]
        unnamed = (path for path in sorted([*self._unnamed]) if os.path.lexists(path))
        failed += [SharedProblem(path, _STRANGE_NAME) for path in unnamed]
        failed += [_crowded_folder(path) for path in sorted([*self._crowded]) if os.path.isdir(path)]  # noqa: PTH112
        return failed + [_linked_folder(path) for path in sorted([*self._links]) if _leads_elsewhere(path)]


def _may_be_folder(path: str) -> bool:
    """Return whether there is a folder; True if its state is unknown for a moment."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 (roots keep texts)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        return is_momentary(error)


def is_momentary(error: OSError) -> bool:
    """Return whether a folder may be listed in a moment, such as when the process has fewer open files."""
    return error.errno not in _LASTING


def why_unlistable(folder: str) -> str | None:
    """Return why a folder cannot be listed; None if it can, or does not exist."""
    try:
        os.scandir(folder).close()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error.strerror or str(error)
    return None


def _leads_elsewhere(link: str) -> bool:
    """Return whether a link leads to a folder that is neither next to it nor one that it is in."""
    if not (os.path.islink(link) and os.path.isdir(link)):  # noqa: PTH112, PTH114 (roots keep texts)
        return False
    target, holder = Path(link).resolve(), Path(link).parent.resolve()
    return not (target.is_relative_to(holder) or holder.is_relative_to(target))


def _linked_folder(link: str) -> SharedProblem:
    message = "is a link, and its sessions are not listed: the sidecar follows no links inside of a store"
    return SharedProblem(link, Problem(code="linkedFolder", message=message))


def _crowded_folder(path: str) -> SharedProblem:
    message = f"has more than {MAX_ENTRIES:,} entries; sessions in the others are not listed"
    return SharedProblem(path, Problem(code="tooLarge", message=message))


def unlistable_folder(folder: str, why: str) -> SharedProblem:
    """Describe a folder that cannot be listed, so that its sessions are missing."""
    return SharedProblem(folder, Problem(code="unlistable", message=f"cannot be listed: {why}"))


def head_of(path: str) -> bytes | None:
    """Read the first bytes of a regular file; None if that is not possible."""
    try:
        descriptor = open_stored(path)
    except (OSError, ValueError):
        return None
    try:
        return os.read(descriptor, HEAD_BYTES) if _is_regular(descriptor) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def ends_of(path: str) -> tuple[bytes, bytes]:
    """Read the first and the last `END_BYTES` of a regular file; empty if that is not possible."""
    try:
        descriptor = open_stored(path)
    except (OSError, ValueError):
        return b"", b""
    try:
        if not _is_regular(descriptor):
            return b"", b""
        first = os.read(descriptor, END_BYTES)
        os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - END_BYTES), os.SEEK_SET)
        return first, os.read(descriptor, END_BYTES)
    except OSError:
        return b"", b""
    finally:
        os.close(descriptor)


def folder_below(root: str, path: str) -> str:
    """Return the folder of a file relative to the root; of files there, in a tenth of the time of relpath."""
    folder = path.rpartition(os.sep)[0]
    below = folder.removeprefix(f"{root}{os.sep}")
    return below if below != folder else os.path.relpath(folder, root)


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def head_behind_padding(path: str) -> bytes:
    """Read the first bytes of a file behind the zero bytes that a power loss left; empty without any."""
    try:
        descriptor = open_stored(path)
    except (OSError, ValueError):
        return b""
    try:
        skipped = 0
        while skipped < _MOST_PADDING and (piece := os.read(descriptor, 1 << 20)):
            if rest := piece.lstrip(PADDING):
                return rest[:HEAD_BYTES] + os.read(descriptor, max(HEAD_BYTES - len(rest), 0))
            skipped += len(piece)
        return b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def first_heads(paths: Iterable[str], most: int) -> Iterator[bytes]:
    """Yield the first bytes of files that are not empty, of `most` files."""
    found = filter(None, (head_of(path) for path in islice(paths, _MOST_OPENED)))
    return islice(found, most)
