"""Copied journals of SQLite that name a super-journal: that of a transaction of several databases."""

import os
import re
from pathlib import Path
from typing import Final

_MAGIC: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The last bytes of a journal that names another file: https://www.sqlite.org/fileformat.html."""
_NAME_END: Final = 8 + len(_MAGIC)
"""The bytes behind the name: its length, its checksum and the magic bytes."""
_LONGEST_NAME: Final = 512 if os.name == "posix" else 4_096
"""SQLite takes no longer name for that of a super-journal."""
_SEPARATOR: Final = re.compile(rb"[/\\]")


def forget_super_journal(journal: Path, folder: str) -> None:
    """Make a copied journal independent of the super-journal that it names, which SQLite would delete.

    The super-journal belongs to a transaction of several databases, which is complete once it is deleted.
    Then the journal must not be played back, so its copy is removed. A name that SQLite does not take for one
    makes no difference to it.
    """
    with journal.open("r+b") as file:
        start = max(0, file.seek(0, os.SEEK_END) - _LONGEST_NAME - _NAME_END)
        file.seek(start)
        end = file.read()
        if len(end) < _NAME_END or not end.endswith(_MAGIC):
            return
        file.seek(-len(_MAGIC), os.SEEK_END)
        file.write(bytes(len(_MAGIC)))
    path = _super_journal(end)
    if path is None:
        return
    name = _SEPARATOR.split(path)[-1]
    if not os.path.lexists(os.path.join(os.fsencode(folder), name)):  # noqa: PTH118
        journal.unlink()


def _super_journal(end: bytes) -> bytes | None:
    """Return the super-journal that the end of a journal names; None if SQLite finds no name there."""
    length, checksum = (int.from_bytes(end[-_NAME_END + at :][:4], "big") for at in (0, 4))
    name = end[:-_NAME_END][-length:] if length else b""
    if len(name) < length or not name.partition(b"\0")[0]:
        return None
    signed = sum(byte - 256 * (byte > 127) for byte in name)  # as most compilers add characters
    if checksum not in (sum(name), signed % 2**32):
        return None
    return name.partition(b"\0")[0]
