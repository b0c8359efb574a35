"""Remedies for problems of files and folders that hold many sessions, such as databases."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SHARED_REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tooLarge": "delete old sessions in the product; if it is a database, then close the product, and "
        "run VACUUM on it with the command sqlite3",
        "malformed": "sessions in it cannot be read: close the product, copy the database, and save what the "
        "command .recover of sqlite3 finds in the copy",
        "unreadable": "sessions in it cannot be read: make it readable for this user, or list again when the "
        "product is writing less",
        "notRegular": "its sessions are not listed: replace the link, pipe or directory with the file itself",
        "unlistable": "make the folder readable for this user, then check again",
        "lostCopies": "restore the list from a backup; copies that it does not name are not removed",
        "missingCopies": "these sessions are not listed: restore the folder from a backup, or give them up "
        "by deleting them with tasks/delete",
        "linkedFolder": "replace the link with the folder itself, then check again",
    }
)
"""Remedies by the code of the problem."""
