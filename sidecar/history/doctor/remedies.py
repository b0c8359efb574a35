"""Remedies for findings: problems of tasks, and problems that only the doctor reports."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sidecar.api.stored.doctor import Finding
from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.shared_remedies import SHARED_REMEDIES

_BACKUP: Final = "close the product and keep a copy of the folder before touching it; "

REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty": "nothing is lost: the product made the folder and saved nothing in it; you can remove it",
        "messagesGone": "look for the messages in a backup; checkpoints/ may hold versions of the "
        "workspace's files: recover what you need with git before you remove the folder",
        "duplicate": "lists show every copy, totals count the one used last; to open a specific one, "
        "name its root",
        "missing": "the task is listed without it; find the file in a backup or the editor's history",
        "unreadable": "make the file readable for this user, then list again",
        "notRegular": "replace the link, pipe or directory with the file itself",
        "tooLarge": "split or archive the file; the list entry is used instead",
        "recovered": _BACKUP + "then rename the leftover to the file's name",
        "badUtf8": "the bytes are shown as U+FFFD; the product may refuse the file until they are replaced",
        "byteOrderMark": "remove the first three bytes: the product refuses the file with them",
        "padding": "a power loss left zero bytes; what comes before them is listed, the rest is gone",
        "wrapped": "a few releases wrote this form; most read it as empty: take the array out of the object",
        "cut": _BACKUP + "then close the array after its last complete message",
        "strayTail": _BACKUP + "then remove what follows the closing bracket of the array",
        "malformed": "the other messages are listed; repair or remove the ones named",
        "notMessages": "the other file and the list entry are used; look for the file in a backup",
        "internal": "report this as a bug of the sidecar; the log has the details",
        "orphan": "the product's own list does not know this task, so the product does not show it; export "
        "it, or let the product rebuild its list",
        "indexOnly": "the list names a task whose folder is gone; look for the folder in a backup or on the "
        "machine where the task ran",
        "locked": "wait until the product has finished saving, then check again",
        "staleLock": "no running product holds this lock: close the products, then remove the directory",
        "leftover": "a crash left it next to an intact file; remove it while the product is closed",
        "fragment": _BACKUP + "then open it: it may be all that is left of the file",
        "disagreement": "the sidecar uses the messages if they are complete; the product corrects its "
        "entry when the task is opened and saved",
        "strangeName": "no product uses such a name for a task; it is not listed",
        "unlistable": SHARED_REMEDIES["unlistable"],
        "linkedFolder": SHARED_REMEDIES["linkedFolder"],
        "dueDeletion": "set history.keep to keep copies, export them, or raise in the product's "
        "settings.json cleanupPeriodDays (Claude Code) or general.sessionRetention.maxAge (Gemini CLI)",
        "lostCopies": SHARED_REMEDIES["lostCopies"],
        "missingCopies": SHARED_REMEDIES["missingCopies"],
        "damagedCopy": "restore the copy from a backup, or delete the task to remove it",
    }
)
"""Remedies by the code of the finding."""


def finding(
    code: str, root: str, message: str, task_id: str | None = None, path: str | None = None
) -> Finding:
    """Create a finding with its remedy; an unknown `code` is a programming error (KeyError)."""
    return Finding(code=code, root=root, task_id=task_id, path=path, message=message, remedy=REMEDIES[code])


def shared_finding(root: str, problem: Problem, path: str) -> Finding:
    """Create a finding about a file or folder with many sessions."""
    remedy = SHARED_REMEDIES.get(problem.code) or REMEDIES[problem.code]
    return Finding(code=problem.code, root=root, path=path, message=problem.message, remedy=remedy)
